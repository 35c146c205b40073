/**
 * Writes lines about calls of the model: waiting, failures and unusable answers. Also formats numbers and names for all
 * lines.
 */
import { helpText, mayLoseSomething, modelText, userText, repairText } from "../../domain/findings/IssueText.ts"
import type { Repair, Issue } from "../../domain/findings/Issue.ts"
import { attemptText, modelCallKey, type ModelCallId, type Stage } from "../../domain/runs/ActivityKey.ts"
import { clockText, phaseText, stageText } from "../../domain/runs/LiveText.ts"
import type { LiveState } from "../../domain/runs/LiveState.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import { counted, secondsText, withoutProject } from "../../domain/text/Format.ts"
import type { RunReport } from "../../domain/runs/RunReport.ts"
import { printable } from "../../domain/text/Printable.ts"
import type { Paint } from "./Colour.ts"

type Of<Type extends RunEvent["type"]> = Extract<RunEvent, { readonly type: Type }>

/** Makes foreign text printable, and cuts it to at most `most` characters. */
export const safeText = (text: string, most = 160): string => {
  const line = printable(text)
  return line.length > most ? `${line.slice(0, most)}...` : line
}

/** A status in words: `no_valid_plan` becomes `no valid plan`. */
export const statusText = (status: RunReport["status"]): string => status.replaceAll("_", " ")

/** The beginning of a call's result if the user denied the call. Models read this text too. */
const ownDenial = "Permission denied: a person denied "

/** True if every line is a denial by the user. */
export const isOwnChoice = (text: string): boolean => text.split("\n").every((line) => line.startsWith(ownDenial))

/** The line as the user reads it: "You denied ..." for a denial, and paths relative to the project. */
export const userLine = (line: string, project: string): string =>
  withoutProject(line.replace(ownDenial, "You denied "), project)

export const messageLine = (
  { level, text }: Pick<Of<"message">, "level" | "text">,
  paint: Paint,
  project: string
): string => {
  const lines = text.split("\n")
  const isOwn = isOwnChoice(text)
  const label =
    level === "error" && !isOwn ? paint.red("error") : level === "warning" && !isOwn ? paint.yellow("warning") : "note"
  return `${label}: ${lines.map((line) => safeText(userLine(line, project), 2000)).join("\n  ")}`
}

/** What a call is for, such as `planning` or `choosing the calls for "Search 1"`. */
export const callText = ({ stage, task }: Pick<ModelCallId, "stage" | "task">): string =>
  task === undefined ? stageText[stage] : `${stageText[stage]} for "${safeText(task)}"`

const failures: Readonly<Record<string, string>> = {
  Busy: "The model server is busy",
  Unreachable: "The model server cannot be reached",
  DiedMidStream: "The answer broke off",
  Hopeless: "The answer was stopped",
  EmptyAnswer: "The answer was empty"
}

/** A reason for a failure in words: `ContextOverflow` becomes `context overflow`. */
const reasonText = (reason: string): string =>
  failures[reason] ?? `The call failed: ${reason.replace(/\B[A-Z]/g, " $&").toLowerCase()}`

/** The line about a failed call that is sent again, with the number of the retry. */
export const retryLine = ({ call, reason, retries, retry, what }: Of<"model.failed">, paint: Paint): string => {
  const why = what === undefined ? "" : ` (${safeText(what)})`
  const which = retry === undefined ? "" : ` (${retry} of ${retries})`
  return `  ${paint.yellow(reasonText(reason))}${why}; trying again${which}: ${callText(call)}`
}

/**
 * The line about a model call that waits: what it waits for, for how long, and when its time limit stops it. `live`
 * contains the state of the call.
 */
export const waitingLine = (event: Of<"model.waiting">, paint: Paint, live: LiveState | undefined): string => {
  const { call, characters = 0, endsAtSeconds, phase, seconds } = event
  const ends = `is stopped after ${secondsText(endsAtSeconds)}`
  const time = `for ${secondsText(seconds)}; ${ends}`
  const liveCall = live?.calls.get(modelCallKey(call))
  const texts = {
    connecting: `connecting to the model server ${time}`,
    turn: `waiting for its turn at the model server ${time}`,
    first_word:
      liveCall === undefined
        ? `waiting for the first word of the model ${time}`
        : `${phaseText(liveCall, live?.run.model ?? "")} ${time}`,
    next_word: `waiting for the next word of the model ${time}`,
    writing:
      liveCall?.tokens === undefined
        ? `the model has written ${counted(characters, "character")} in ${secondsText(seconds)}; ${ends}`
        : `${phaseText(liveCall, live?.run.model ?? "")} ${time}`
  }
  return paint.dim(`  ${callText(call)}: ${texts[phase]}`)
}

/** The maximum number of findings that are shown. A last line counts the remaining ones. */
const mostFindings = 3

/** The lines about the problems of an answer. With --verbose, they also show what the program tells the model to do. */
const findingLines = (issues: ReadonlyArray<Issue>, isVerbose: boolean): ReadonlyArray<string> => {
  const first = isVerbose ? issues : issues.slice(0, mostFindings)
  const remaining = issues.length - first.length
  return [
    ...first.flatMap((issue) => {
      const line = `    ${safeText(userText(issue), 320)}`
      return isVerbose ? [line, `      to the model: ${safeText(modelText(issue), 800)}`] : [line]
    }),
    ...(remaining === 0 ? [] : [`    and ${remaining} more; --verbose shows them`])
  ]
}

const answerText = ({ stage, task }: ModelCallId): string => {
  const name = task === undefined ? "" : ` "${safeText(task)}"`
  const texts: Readonly<Record<Stage, string>> = {
    plan: "The plan was not usable",
    task: `An answer for${name} was not usable`,
    iterate: "The revised plan was not usable",
    conclude: "The answer was not usable",
    ask: "The answer was not usable"
  }
  return texts[stage]
}

/** The findings that were already shown, by call. A further attempt of the call shows only new findings. */
export type SeenFindings = Map<string, ReadonlySet<string>>

/**
 * The lines about a rejected answer. They contain only findings that were not shown before. Undefined if there are
 * none, unless this was the last attempt.
 */
export const rejectedLine = (
  { call, issues, ...event }: Of<"answer.rejected">,
  paint: Paint,
  isVerbose: boolean,
  reported: SeenFindings = new Map()
): string | undefined => {
  /* A task can have more turns than attempts, so its line gives no maximum. */
  const mostAttempts = call.stage === "task" ? undefined : event.mostAttempts
  const key = modelCallKey({ ...call, attempt: 1 })
  const before = reported.get(key) ?? new Set()
  const fresh = isVerbose ? issues : issues.filter((issue) => !before.has(userText(issue)))
  reported.set(key, new Set([...before, ...issues.map(userText)]))
  const next = call.attempt + 1
  const isSame = issues.length > 0 && fresh.length === 0
  if (isSame && (mostAttempts === undefined || next <= mostAttempts)) return undefined
  const again =
    mostAttempts === undefined
      ? `; ${attemptText(call)}`
      : next > mostAttempts
        ? `; that was the last of ${mostAttempts} attempts`
        : `; asking again (${next} of ${mostAttempts})`
  const same = isSame ? ", the same as before" : ""
  return [
    `  ${paint.yellow(answerText(call))} (${counted(issues.length, "problem")}${same})${again}`,
    ...findingLines(fresh, isVerbose)
  ].join("\n")
}

/** How many items each for-each task has. The user reads this before the tasks run. */
const itemCounts = (repairs: ReadonlyArray<Repair>): ReadonlyArray<string> =>
  repairs.filter(({ code }) => code === "for-each-count").map(({ message }) => `  ${safeText(message, 320)}`)

/** The lines about the repairs of an answer. Without --verbose, only repairs that may have lost something are shown. */
export const repairedLine = (
  { call, repairs }: Of<"answer.repaired">,
  paint: Paint,
  isVerbose: boolean
): string | undefined => {
  const printed = isVerbose ? repairs : repairs.filter(mayLoseSomething)
  const lines = printed.map((repair) => `    ${safeText(repairText(repair), 320)}`)
  const fixed = printed.length === 0 ? [] : [`  ${paint.dim("fixed while")} ${callText(call)}`, ...lines]
  const all = isVerbose ? fixed : [...itemCounts(repairs), ...fixed]
  return all.length === 0 ? undefined : all.join("\n")
}

/** The issues that ended a run, and what the user can do. */
export const lastIssues = (issues: ReadonlyArray<Issue>): ReadonlyArray<string> => [
  ...findingLines(issues, false).map((line) => line.slice(2)),
  ...(issues.length === 0 ? [] : [`  What you can do: ${helpText(issues)}`])
]

export const serverLine = ({ message, secondsLeft }: Of<"server.waiting">, paint: Paint): string =>
  `  ${paint.yellow("waiting")} for the model server, ${clockText(secondsLeft * 1000)} left: ${safeText(message, 400)}`
