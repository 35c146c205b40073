/**
 * What a run promised and did not do: tasks that failed or never ran, calls that failed and that no later call made up for,
 * and tasks whose skill exists to change something although nothing of theirs did. A model may call such work finished; what
 * counts is what the calls came to.
 */
import { rawBlock } from "../markdown/PromptBlock.ts"
import { failureLines, fittedResults, type Frame, leastResults, partOf } from "../models/ExecutionBlocks.ts"
import type { RequestedChange } from "../permissions/ApprovalItem.ts"
import { openItems } from "../plan/ForEach.ts"
import type { Task } from "../plan/Task.ts"
import type { TaskName } from "../plan/TaskName.ts"
import { deniedOf, type TaskFailure, type TaskResult } from "../plan/TaskResult.ts"
import { canonicalJson } from "../text/Json.ts"
import { cutAt, listWithin, shares } from "../text/Excerpt.ts"
import type { CallOutcome, ToolCall } from "../tools/ToolCall.ts"

/** One round: its tasks and what became of them. */
export interface RoundWork {
  readonly tasks: ReadonlyArray<Task>
  readonly results: ReadonlyArray<TaskResult>
  readonly failures: ReadonlyArray<TaskFailure>
}

/** True for a result of which nothing was denied but reads, and something else succeeded. */
const didWithout = ({ calls }: TaskResult, { changeOf }: ChangeKinds): boolean =>
  deniedOf(calls) !== "all" &&
  calls.every(({ call, result }) => result.error_type !== "permission_denied" || changeOf(call) === undefined)

/** True for a result that says itself that a part is missing. */
const isPartial = ({ result: { summary } }: TaskResult): boolean => /^[*_]*partly done\b/i.test(summary.trim())

const isWhole = (one: TaskResult): boolean => !isPartial(one) && openItems(one.items ?? []).length === 0

/** True for a run of one task that ended clean: nothing is left to plan, and its report is the answer. */
export const endedClean = (rounds: ReadonlyArray<RoundWork>, kinds: ChangeKinds): boolean => {
  const [round, ...others] = rounds
  const [result, ...more] = round?.results ?? []
  return (
    others.length === 0 &&
    round?.tasks.length === 1 &&
    round.failures.length === 0 &&
    result !== undefined &&
    more.length === 0 &&
    didWithout(result, kinds) &&
    isWhole(result)
  )
}

interface Change {
  /** In words: `src/a.ts (edit_file)`. */
  readonly what: string
  /** The path of a file, or the name of a tool whose effect has no name of its own. */
  readonly target: string
  /** True when a later change of the same target is this change, however often it failed. */
  readonly isFile: boolean
  /** True when it takes the file away, so that no change of the file makes up for it. */
  readonly isRemoval?: boolean
}

/** What the tools and skills of the run say about calls and tasks. */
export interface ChangeKinds {
  /** Nothing for a call that changes nothing. */
  readonly changeOf: (call: ToolCall) => Change | undefined
  /** True for a task whose skill exists to change something. */
  readonly promisesChange: (task: Task) => boolean
}

/** A change that is still missing, or the result of items; `why` is a sentence. */
export interface MissingChange {
  readonly task: TaskName
  readonly what: string
  readonly why: string
  /** True for items or a part of a task that gave no result, whether they are read or changed. */
  readonly isResult?: boolean
}

/** What a task did not do, as the rest of a sentence about it: `did not change src/a.ts (edit_file)`. */
export const lackText = ({ isResult = false, what }: MissingChange): string =>
  `${isResult ? "gave no result for" : "did not change"} ${what}`

interface Made extends Change {
  readonly skill: string
  readonly call: string
}

interface Missed extends MissingChange {
  readonly isMadeBy: (made: Made) => boolean
  /** True when a whole result of the same skill in a later round makes up for it as well. */
  readonly skill?: string
  /** True when one later change makes up for one failure only. */
  readonly isSingle: boolean
}

/** So many items without a result are named. */
const mostNamedItems = 5

/** Of a result that says that a part is missing, so many characters are quoted. */
const mostOfSummary = 300

const sameCall = ({ arguments: given, name }: ToolCall): string => canonicalJson([name, given])

/** Changes by tasks that have a result, and by those that failed afterwards. */
const madeIn = ({ failures, results, tasks }: RoundWork, { changeOf }: ChangeKinds): ReadonlyArray<Made> => {
  const ran = [
    ...results.map(({ calls, task: { skill } }) => ({
      skill,
      calls: calls.map(({ call, result: { success } }) => ({ call, success }))
    })),
    ...failures.map(({ ran: calls = [], task }) => ({
      skill: tasks.find(({ name }) => name === task)?.skill ?? "",
      calls
    }))
  ]
  return ran.flatMap(({ calls, skill }) =>
    calls.flatMap(({ call, success }) => {
      const change = success ? changeOf(call) : undefined
      return change === undefined ? [] : [{ ...change, skill, call: sameCall(call) }]
    })
  )
}

/** A denied call is not in it: the gate reports it. */
const failedCalls = ({ results }: RoundWork, { changeOf }: ChangeKinds, changesMade: ReadonlyArray<Made>) =>
  results.flatMap(({ calls, name }) =>
    calls.flatMap(({ call, result }: CallOutcome): ReadonlyArray<Missed> => {
      const change = result.success || result.error_type === "permission_denied" ? undefined : changeOf(call)
      if (change === undefined || changesMade.some((one) => one.call === sameCall(call))) return []
      const { isFile, isRemoval = false, target, what } = change
      const isSame = (later: Made): boolean => later.target === target && (later.isRemoval === true || !isRemoval)
      const why = `It failed: ${result.error_message ?? result.error_type}`
      return [{ task: name, what, why, isMadeBy: isSame, isSingle: !isFile }]
    })
  )

/** A task of which no change came; any later change by its skill makes up for that. */
const nothingBy = (task: Task, why: string): Missed => ({
  task: task.name,
  what: "anything",
  why,
  isMadeBy: ({ skill }) => skill === task.skill,
  isSingle: false
})

const idleTasks = ({ results }: RoundWork, { changeOf, promisesChange }: ChangeKinds): ReadonlyArray<Missed> =>
  results
    .filter(({ calls, task }) => promisesChange(task) && calls.every(({ call }) => changeOf(call) === undefined))
    .map(({ task }) =>
      nothingBy(task, `None of its calls changes anything, although changes are what its skill "${task.skill}" is for.`)
    )

/** A task that failed after its calls had made their changes lacks only the words about them. */
const failedTasks = (
  { failures, tasks }: RoundWork,
  { changeOf, promisesChange }: ChangeKinds
): ReadonlyArray<Missed> =>
  failures.flatMap(({ ran = [], reason, task: name }) => {
    const task = tasks.find((one) => one.name === name)
    if (task === undefined || !promisesChange(task)) return []
    const changes = ran.filter(({ call }) => changeOf(call) !== undefined)
    return changes.length > 0 && changes.every(({ success }) => success) ? [] : [nothingBy(task, reason)]
  })

/** A result that says that a part is missing, without a call that failed or was denied: such a call is told by itself. */
const partialResults = ({ results }: RoundWork, { changeOf }: ChangeKinds): ReadonlyArray<Missed> =>
  results.flatMap((one) => {
    const { calls, result, task } = one
    if (!isPartial(one) || calls.some(({ call, result: { success } }) => !success && changeOf(call) !== undefined))
      return []
    const why = `Its result says: ${cutAt(result.summary.trim().replaceAll(/\s+/g, " "), mostOfSummary)}`
    return [{ ...nothingBy(task, why), what: "a part of it", isResult: true, skill: task.skill }]
  })

const leftItems = ({ results }: RoundWork): ReadonlyArray<Missed> =>
  results.flatMap(({ items = [], task }) => {
    const open = openItems(items)
    if (open.length === 0) return []
    const names = open.slice(0, mostNamedItems).map(({ item }) => item)
    const more = open.length > names.length ? [`${open.length - names.length} more`] : []
    const why = `No result for: ${[...names, ...more].join("; ")}. ${open[0]?.note ?? ""}`.trim()
    return [
      { ...nothingBy(task, why), what: `${open.length} of ${items.length} items`, isResult: true, skill: task.skill }
    ]
  })

/** The changes that are missing after these rounds. Only a later round knows of a failure, so only it can make up for it. */
export const missingChanges = (rounds: ReadonlyArray<RoundWork>, kinds: ChangeKinds): ReadonlyArray<MissingChange> => {
  const changesByRound = rounds.map((round) => madeIn(round, kinds))
  return rounds.flatMap((round, index) => {
    const later = changesByRound.slice(index + 1).flat()
    const missed = [
      ...failedCalls(round, kinds, changesByRound[index] ?? []),
      ...idleTasks(round, kinds),
      ...failedTasks(round, kinds),
      ...leftItems(round),
      ...partialResults(round, kinds)
    ]
    const whole = rounds.slice(index + 1).flatMap(({ results }) => results.filter(isWhole))
    return missed.flatMap(({ isMadeBy, isSingle, skill, ...lack }) => {
      if (whole.some(({ task }) => task.skill === skill)) return []
      const at = later.findIndex(isMadeBy)
      if (at === -1) return [lack]
      if (isSingle) later.splice(at, 1)
      return []
    })
  })
}

/**
 * The tasks of which every call was denied. A later round makes up for one by a call that succeeds in a task of the same
 * skill.
 */
export const deniedTasks = (rounds: ReadonlyArray<RoundWork>): ReadonlyArray<TaskName> =>
  rounds.flatMap(({ results }, index) => {
    const later = rounds.slice(index + 1).flatMap((round) => round.results)
    const isMade = (skill: string): boolean =>
      later.some((one) => one.task.skill === skill && one.calls.some(({ result }) => result.success))
    return results.flatMap(({ calls, name, task }) => (deniedOf(calls) === "all" && !isMade(task.skill) ? [name] : []))
  })

/** A task that never ran; `why` is a sentence. */
export interface NotRun {
  readonly task: TaskName
  readonly why: string
}

export interface NotDone {
  readonly failures: ReadonlyArray<TaskFailure>
  readonly missing: ReadonlyArray<MissingChange>
  readonly notRun?: ReadonlyArray<NotRun>
}

/** What to do about the lines of a block, under them: a prompt without the block need not say it. */
const advised = (lines: string, advice: string): string => (lines === "" ? "" : `${lines}\n\n${advice}`)

/** What a person wants instead of what they declined, for the stage that plans what is left. */
export const requestedChangesBlock = (changes: ReadonlyArray<RequestedChange>): string =>
  rawBlock(
    "## What the person wants instead",
    advised(
      changes
        .map(
          ({ declined, instead }) => `- The person declined "${declined}" and said: ${instead.replaceAll(/\s+/g, " ")}`
        )
        .join("\n"),
      "This counts more than the plan: write the tasks that do it, and leave out what was declined."
    )
  )

/** One list of what was not done: a line for each, and the tasks for when the lines do not fit. */
interface Undone {
  readonly heading: string
  readonly lines: string
  readonly tasks: ReadonlyArray<TaskName>
  readonly advice?: string
}

const moreTasks = (count: number): string =>
  `- ${count} more ${count === 1 ? "task" : "tasks"}; there is no room here for the ${count === 1 ? "name" : "names"}.`

/**
 * Whole lines, or the names of the tasks, or as many names as fit and how many more there are. All lists together
 * take at most `budget` characters more than without a name.
 */
const undoneBlocks = (all: ReadonlyArray<Undone>, budget: number): string => {
  const lists = all.map((one) => {
    const names = [...new Set(one.tasks)].map((name) => `- "${name}"`)
    return { ...one, names, least: one.lines === "" ? 0 : moreTasks(names.length).length }
  })
  const wanted = shares(
    lists.map(({ least, lines }) => Math.max(0, lines.length - least)),
    budget
  )
  return lists
    .map(({ advice, heading, least, lines, names }, index) => {
      const limit = least + (wanted[index] ?? 0)
      const text = lines.length <= limit ? lines : listWithin(names, limit, moreTasks).text
      return rawBlock(heading, advice === undefined ? text : advised(text, advice))
    })
    .join("")
}

const failed = ({ failures }: NotDone): Undone => ({
  heading: "## Tasks that failed",
  lines: failureLines(failures),
  tasks: failures.map(({ task }) => task)
})

/** What is missing although its task has a result: changes, or the results of items. */
const lacking = ({ failures, missing }: NotDone, ofItems: boolean): Undone => {
  const withoutResult = new Set(failures.map(({ task }) => task))
  const listed = missing.filter(({ isResult = false, task }) => isResult === ofItems && !withoutResult.has(task))
  return {
    heading: ofItems ? "## Results that are missing" : "## Changes that were not made",
    lines: listed.map((one) => `- "${one.task}" ${lackText(one)}. ${one.why.replaceAll(/\s*\n\s*/g, " ")}`).join("\n"),
    tasks: listed.map(({ task }) => task)
  }
}

/** What was not done, for the stage that plans what is left. Lines are cut to `budget`; see `undoneBlocks`. */
export const leftBlock = (notDone: NotDone, budget = Number.POSITIVE_INFINITY): string =>
  undoneBlocks(
    [
      {
        ...failed(notDone),
        advice: "Do not repeat a failed task as it was: reach its goal in another way, or leave it out."
      },
      {
        ...lacking(notDone, false),
        advice:
          "These are missing although their tasks have a result. Add a task under a new name that makes them, or leave them out if they cannot be made."
      },
      {
        ...lacking(notDone, true),
        advice: "Add a task under a new name for what is missing, or leave it out if nothing can be found out about it."
      }
    ],
    budget
  )

/** The tasks that failed, the changes that are missing, and the tasks never run, for the stage that answers; likewise. */
export const incompleteBlock = (notDone: NotDone, budget = Number.POSITIVE_INFINITY): string => {
  const { notRun = [] } = notDone
  const neverRun = {
    heading: "## Tasks that were not run",
    lines: notRun.map(({ task, why }) => `- "${task}": ${why}`).join("\n"),
    tasks: notRun.map(({ task }) => task)
  }
  return undoneBlocks([failed(notDone), lacking(notDone, false), lacking(notDone, true), neverRun], budget)
}

/** What a prompt says of finished tasks, and of what was not done. */
export interface ResultsAndLines {
  readonly completed: string
  readonly incomplete: string
}

/**
 * Results and lines about what was not done for a prompt that cannot hold all of both: the lines have half of the budget, and
 * what the results leave of theirs. `lines(budget)` has at most `budget` characters more than `lines(0)`.
 */
export const sharedBudget = (
  results: ReadonlyArray<TaskResult>,
  lines: (budget: number) => string,
  frame: (place: (text: string) => ResultsAndLines) => Frame,
  form: { readonly expected?: boolean } = {}
): ResultsAndLines => {
  const linesBeside = (completed: string, share: number): string =>
    partOf(
      frame((left) => ({ completed, incomplete: left })),
      share,
      (budget) => ({ text: lines(budget) })
    ).text
  const half = linesBeside(leastResults(results), 1 / 2)
  const completed = fittedResults(
    results,
    frame((text) => ({ completed: text, incomplete: half })),
    form
  )
  return { completed, incomplete: linesBeside(completed, 1) }
}
