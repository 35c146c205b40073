/**
 * Recognises task lists that are not about the prompt. A small model that does not know what to do copies the example
 * of its instructions, or repeats one task.
 */
import * as Option from "effect/Option"
import { type Issue, makeIssue } from "../findings/Issue.ts"
import { fencedBlocks } from "../markdown/Outline.ts"
import type { Task } from "../plan/Task.ts"
import type { TaskList } from "../plan/TaskList.ts"
import { stemOf, wordsInName } from "../text/Nearest.ts"
import { readTaskList } from "./TaskListFormat.ts"

/** A task with at least this share of the example's words counts as a copy of the example. */
const alike = 0.6
/** A task that contains at least this share of the prompt's words is about the prompt. */
const aboutPrompt = 2 / 3
const mostOfPrompt = 120

type PlannedTask = Pick<Task, "name" | "whatIsNeeded">

/** The example tasks in the instructions. */
export const exampleIn = (instructions: string): ReadonlyArray<PlannedTask> => {
  const lists = fencedBlocks(instructions).flatMap(({ text }) => Option.toArray(readTaskList(text).value))
  return lists[0]?.tasks ?? []
}

/** The stems of words with more than 3 letters, and of words with digits. Other words say little about the subject. */
const stemsOf = (text: string): ReadonlySet<string> =>
  new Set(
    wordsInName(text)
      .filter((word) => word.length > 3 || /\d/.test(word))
      .map(stemOf)
  )

const numbersIn = (stems: ReadonlySet<string>): ReadonlyArray<string> => [...stems].filter((stem) => /^\d+$/.test(stem))

const shareIn = (wanted: ReadonlySet<string>, text: ReadonlySet<string>): number =>
  wanted.size === 0 ? 0 : [...wanted].filter((stem) => text.has(stem)).length / wanted.size

/** True if the prompt itself asks for the task of the example. */
const isAsked = (task: ReadonlySet<string>, subject: ReadonlySet<string>, prompt: ReadonlySet<string>): boolean => {
  const numbers = numbersIn(task)
  const areStated = numbers.every((number) => prompt.has(number))
  if (!areStated && numbersIn(prompt).length > 0) return false
  const named = shareIn(subject, prompt)
  return named === 1 || (named > 0 && areStated && numbers.length > 0) || shareIn(prompt, task) >= aboutPrompt
}

/** True for a task that copies the example and that the prompt does not ask for. */
const isCopied = (
  { name, whatIsNeeded }: PlannedTask,
  example: ReadonlyArray<PlannedTask>,
  prompt: ReadonlySet<string>
): boolean => {
  const task = stemsOf(`${name} ${whatIsNeeded}`)
  const needed = stemsOf(whatIsNeeded)
  return example.some((exampleTask) => {
    const subject = stemsOf(exampleTask.name)
    const title = new Set([...stemsOf(name)].filter((stem) => !/^\d+$/.test(stem)))
    const hasName = shareIn(subject, title) === 1 && shareIn(title, subject) === 1
    const isAlike = hasName || shareIn(stemsOf(exampleTask.whatIsNeeded), needed) >= alike
    return isAlike && shareIn(subject, task) === 1 && !isAsked(task, subject, prompt)
  })
}

/**
 * The task as the model wrote it, for comparisons. Leaves out the number that the reader appended to a repeated name.
 */
const asWritten = ({ expectedOutput, forEach, name, references, skill, whatIsNeeded }: Task): string =>
  JSON.stringify([
    name.replace(/ \(\d+\)$/, ""),
    skill,
    whatIsNeeded,
    expectedOutput,
    forEach ?? "",
    references.map(({ href }) => href)
  ])

/** One issue for each task that repeats an earlier task word for word. */
const repeatedIssues = ({ steps }: TaskList): ReadonlyArray<Issue> => {
  const writtenTasks = new Set<string>()
  return steps.flatMap(({ tasks, title }) =>
    tasks.flatMap((task) => {
      const written = asWritten(task)
      if (!writtenTasks.has(written)) {
        writtenTasks.add(written)
        return []
      }
      const what = `The task "${task.name}" is already in the list, word for word.`
      return [makeIssue("task-repeated", { section: title, task: task.name }, { what, how: "Leave it out." })]
    })
  )
}

export const planIssues = (
  list: TaskList,
  example: ReadonlyArray<PlannedTask>,
  prompt: string
): ReadonlyArray<Issue> => {
  const promptStems = stemsOf(prompt)
  const how = `Write tasks for this prompt, in its words: "${prompt.replaceAll(/\s+/g, " ").slice(0, mostOfPrompt)}".`
  const copied = list.steps.flatMap(({ tasks, title }) =>
    tasks
      .filter((task) => isCopied(task, example, promptStems))
      .map(({ name }) => {
        const what = `The task "${name}" repeats the example of the instructions, which is about another prompt.`
        return makeIssue("plan-example", { section: title, task: name }, { what, how })
      })
  )
  return [...copied, ...repeatedIssues(list)]
}
