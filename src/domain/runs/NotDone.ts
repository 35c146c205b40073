/**
 * Finds work that a run promised and did not do. This is: tasks that failed or never ran, failed calls that no later
 * call replaced, and tasks that changed nothing although their skill exists to make changes. Only results of calls
 * count, because the model may call unfinished work finished.
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

/** The tasks of one round, and how they ended. Skipped tasks are among the failures. */
export interface RoundWork {
  readonly tasks: ReadonlyArray<Task>
  readonly results: ReadonlyArray<TaskResult>
  readonly failures: ReadonlyArray<TaskFailure>
}

/** True if no change was denied, and not all calls were denied. The task then went on without its denied reads. */
const didWithout = ({ calls }: TaskResult, { changeOf }: ChangeKinds): boolean =>
  deniedOf(calls) !== "all" &&
  calls.every(({ call, result }) => result.error_type !== "permission_denied" || changeOf(call) === undefined)

/** True if the report of the task says that a part is missing. */
const isPartial = ({ result: { summary } }: TaskResult): boolean => /^[*_]*partly done\b/i.test(summary.trim())

const isWhole = (one: TaskResult): boolean => !isPartial(one) && openItems(one.items ?? []).length === 0

/** True for a run with a single task and nothing left to do. The report of the task is then the answer. */
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
  /** A description such as `src/a.ts (edit_file)`. */
  readonly what: string
  /** The path of the changed file, or else the name of the tool. */
  readonly target: string
  /** True if any later change of the target makes up for a failure of this change. */
  readonly isFile: boolean
  /** True for a removal. If it fails, only another removal of the target makes up for it. */
  readonly isRemoval?: boolean
}

/** How the tools and skills of the run classify calls and tasks. */
export interface ChangeKinds {
  /** Undefined for a call that changes nothing. */
  readonly changeOf: (call: ToolCall) => Change | undefined
  /** True for a task whose skill exists to make changes. */
  readonly promisesChange: (task: Task) => boolean
}

/** A change that a task did not make, or items without a result. `why` is a sentence. */
export interface MissingChange {
  readonly task: TaskName
  readonly what: string
  readonly why: string
  /** True if a result is missing, and not a change: the result of items or of a part of the task. */
  readonly isResult?: boolean
}

/** The end of a sentence: `did not change src/a.ts (edit_file)`. */
export const lackText = ({ isResult = false, what }: MissingChange): string =>
  `${isResult ? "gave no result for" : "did not change"} ${what}`

interface Made extends Change {
  readonly skill: string
  readonly call: string
}

interface Missed extends MissingChange {
  readonly isMadeBy: (made: Made) => boolean
  /** The skill of the task. A later complete result of a task with this skill makes up for the missing change. */
  readonly skill?: string
  /**
   * True if a later change of the target makes up for only one failed change. Two failed changes then need two later
   * changes.
   */
  readonly isSingle: boolean
}

/** At most this many items without a result are named. */
const mostNamedItems = 5

/** At most this many characters of a partial result are quoted. */
const mostOfSummary = 300

const sameCall = ({ arguments: given, name }: ToolCall): string => canonicalJson([name, given])

/** The changes that tasks made, also those of tasks that failed afterwards. */
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

/**
 * The failed calls that should have changed something. Omits calls that succeeded elsewhere in the round, and denied
 * calls, which the gate reports.
 */
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

/** Says that a task made no change at all. A later change by a task with the same skill makes up for it. */
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

/**
 * Failed tasks that did not make the changes that they promised. A failed task that made its changes lacks only its
 * report, and is left out.
 */
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

/**
 * Results whose report says that a part is missing. Omits results with a failed or denied change, which are reported
 * anyway.
 */
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

/**
 * The changes that are missing after these rounds. Only a later round can make up for a missing change, because the
 * model learns of failures between rounds.
 */
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

/** Tasks whose calls were all denied, unless a call of the same skill succeeded in a later round. */
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

/** Appends advice to the lines, if there are any. */
const advised = (lines: string, advice: string): string => (lines === "" ? "" : `${lines}\n\n${advice}`)

/** The changes that the user wants instead of declined calls, for the revision of the plan. */
export const requestedChangesBlock = (changes: ReadonlyArray<RequestedChange>): string =>
  rawBlock(
    "## What the user wants instead",
    advised(
      changes
        .map(
          ({ declined, instead }) => `- The user declined "${declined}" and said: ${instead.replaceAll(/\s+/g, " ")}`
        )
        .join("\n"),
      "This counts more than the plan: write the tasks that do it, and leave out what was declined."
    )
  )

/** A list of undone work: a line for each entry, and the task names as a short form. */
interface Undone {
  readonly heading: string
  readonly lines: string
  readonly tasks: ReadonlyArray<TaskName>
  readonly advice?: string
}

const moreTasks = (count: number): string =>
  `- ${count} more ${count === 1 ? "task" : "tasks"}; there is no room here for the ${count === 1 ? "name" : "names"}.`

/**
 * Writes the lists in at most `budget` characters. A list that does not fit shows only its task names, or some names
 * and the number of further tasks.
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

/**
 * Lists finished tasks with missing changes. With `ofItems`, lists finished tasks that have items without a result
 * instead.
 */
const lacking = ({ failures, missing }: NotDone, ofItems: boolean): Undone => {
  const withoutResult = new Set(failures.map(({ task }) => task))
  const listed = missing.filter(({ isResult = false, task }) => isResult === ofItems && !withoutResult.has(task))
  return {
    heading: ofItems ? "## Results that are missing" : "## Changes that were not made",
    lines: listed.map((one) => `- "${one.task}" ${lackText(one)}. ${one.why.replaceAll(/\s*\n\s*/g, " ")}`).join("\n"),
    tasks: listed.map(({ task }) => task)
  }
}

/** The undone work for the revision of the plan, in at most `budget` characters; see `undoneBlocks`. */
export const leftBlock = (incomplete: NotDone, budget = Number.POSITIVE_INFINITY): string =>
  undoneBlocks(
    [
      {
        ...failed(incomplete),
        advice: "Do not repeat a failed task as it was: reach its goal in another way, or leave it out."
      },
      {
        ...lacking(incomplete, false),
        advice:
          "These are missing although their tasks have a result. Add a task under a new name that makes them, or leave them out if they cannot be made."
      },
      {
        ...lacking(incomplete, true),
        advice: "Add a task under a new name for what is missing, or leave it out if nothing can be found out about it."
      }
    ],
    budget
  )

/** Lists for the answer what was not done, and the tasks that never ran. The text has at most `budget` characters. */
export const incompleteBlock = (incomplete: NotDone, budget = Number.POSITIVE_INFINITY): string => {
  const { notRun = [] } = incomplete
  const neverRun = {
    heading: "## Tasks that were not run",
    lines: notRun.map(({ task, why }) => `- "${task}": ${why}`).join("\n"),
    tasks: notRun.map(({ task }) => task)
  }
  return undoneBlocks([failed(incomplete), lacking(incomplete, false), lacking(incomplete, true), neverRun], budget)
}

/** Two parts of a prompt: about finished tasks, and about undone work. */
export interface ResultsAndLines {
  readonly completed: string
  readonly incomplete: string
}

/**
 * Divides the budget of a prompt between results and lines about undone work. The lines may use half of the budget, and
 * also what the results leave unused. `lines(budget)` must have at most `budget` characters more than `lines(0)`.
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
