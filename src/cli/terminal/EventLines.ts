/**
 * The lines about a model call, what they wait for, what went wrong and which answers could not be used; the line for a
 * message of a run; and numbers and names as all lines for a person have them.
 */
import { helpText, mayLoseSomething, modelText, personText, repairText } from "../../domain/findings/IssueText.ts"
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

/** A name from a model, bounded. */
export const shown = (text: string, most = 160): string => {
  const line = printable(text)
  return line.length > most ? `${line.slice(0, most)}...` : line
}

/** `no_valid_plan` as `no valid plan`. */
export const statusText = (status: RunReport["status"]): string => status.replaceAll("_", " ")

/** How a denial by a person is said to a model, which reads the same text. */
const ownDenial = "Permission denied: a person denied "

/** True when all that is said is what a person denied. */
export const isOwnChoice = (text: string): boolean => text.split("\n").every((line) => line.startsWith(ownDenial))

/** A line for the person: what they denied is theirs, and paths below the project are relative. */
export const personLine = (line: string, project: string): string =>
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
  return `${label}: ${lines.map((line) => shown(personLine(line, project), 2000)).join("\n  ")}`
}

/** What a call is for: `planning`, `choosing the calls for "Search 1"`. */
export const callText = ({ stage, task }: Pick<ModelCallId, "stage" | "task">): string =>
  task === undefined ? stageText[stage] : `${stageText[stage]} for "${shown(task)}"`

const failures: Readonly<Record<string, string>> = {
  Busy: "The model server is busy",
  Unreachable: "The model server cannot be reached",
  DiedMidStream: "The answer broke off",
  Hopeless: "The answer was stopped",
  EmptyAnswer: "The answer was empty"
}

/** `ContextOverflow` as `context overflow`. */
const reasonText = (reason: string): string =>
  failures[reason] ?? `The call failed: ${reason.replace(/\B[A-Z]/g, " $&").toLowerCase()}`

/** What happened, and which retry follows. */
export const retryLine = ({ call, reason, retries, retry, what }: Of<"model.failed">, paint: Paint): string => {
  const why = what === undefined ? "" : ` (${shown(what)})`
  const which = retry === undefined ? "" : ` (${retry} of ${retries})`
  return `  ${paint.yellow(reasonText(reason))}${why}; trying again${which}: ${callText(call)}`
}

/** What a model call waits for, how long already, and when the limit ends it; `live` knows the phase of the call. */
export const waitingLine = (event: Of<"model.waiting">, paint: Paint, live: LiveState | undefined): string => {
  const { call, characters = 0, endsAtSeconds, phase, seconds } = event
  const ends = `is stopped after ${secondsText(endsAtSeconds)}`
  const time = `for ${secondsText(seconds)}; ${ends}`
  const known = live?.calls.get(modelCallKey(call))
  const texts = {
    connecting: `connecting to the model server ${time}`,
    turn: `waiting for its turn at the model server ${time}`,
    first_word:
      known === undefined
        ? `waiting for the first word of the model ${time}`
        : `${phaseText(known, live?.run.model ?? "")} ${time}`,
    next_word: `waiting for the next word of the model ${time}`,
    writing:
      known?.tokens === undefined
        ? `the model has written ${counted(characters, "character")} in ${secondsText(seconds)}; ${ends}`
        : `${phaseText(known, live?.run.model ?? "")} ${time}`
  }
  return paint.dim(`  ${callText(call)}: ${texts[phase]}`)
}

/** How many findings of an answer are shown; the others are counted. */
const mostFindings = 3

/** What a model got wrong: for a person what went wrong, and on request what the model is asked to write. */
const findingLines = (issues: ReadonlyArray<Issue>, isVerbose: boolean): ReadonlyArray<string> => {
  const first = isVerbose ? issues : issues.slice(0, mostFindings)
  const left = issues.length - first.length
  return [
    ...first.flatMap((issue) => {
      const line = `    ${shown(personText(issue), 320)}`
      return isVerbose ? [line, `      to the model: ${shown(modelText(issue), 800)}`] : [line]
    }),
    ...(left === 0 ? [] : [`    and ${left} more; --verbose shows them`])
  ]
}

const answerText = ({ stage, task }: ModelCallId): string => {
  const name = task === undefined ? "" : ` "${shown(task)}"`
  const texts: Readonly<Record<Stage, string>> = {
    plan: "The plan was not usable",
    task: `An answer for${name} was not usable`,
    iterate: "The revised plan was not usable",
    conclude: "The answer was not usable",
    ask: "The answer was not usable"
  }
  return texts[stage]
}

/** Findings that a person has read for a call are not shown again for its next attempt. */
export type SeenFindings = Map<string, ReadonlySet<string>>

/**
 * An answer that was rejected, with what was not said of the attempts before. What is as before is printed again only by the
 * last attempt.
 */
export const rejectedLine = (
  { call, issues, ...event }: Of<"answer.rejected">,
  paint: Paint,
  isVerbose: boolean,
  seen: SeenFindings = new Map()
): string | undefined => {
  /* The turns of a task are more than its attempts. */
  const mostAttempts = call.stage === "task" ? undefined : event.mostAttempts
  const key = modelCallKey({ ...call, attempt: 1 })
  const before = seen.get(key) ?? new Set()
  const fresh = isVerbose ? issues : issues.filter((issue) => !before.has(personText(issue)))
  seen.set(key, new Set([...before, ...issues.map(personText)]))
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

/** How many items tasks have: a person wants to know before they are worked on. */
const itemCounts = (repairs: ReadonlyArray<Repair>): ReadonlyArray<string> =>
  repairs.filter(({ code }) => code === "for-each-count").map(({ message }) => `  ${shown(message, 320)}`)

/** What was fixed in an answer: on request all of it, otherwise only that with which something may be lost. */
export const repairedLine = (
  { call, repairs }: Of<"answer.repaired">,
  paint: Paint,
  isVerbose: boolean
): string | undefined => {
  const printed = isVerbose ? repairs : repairs.filter(mayLoseSomething)
  const lines = printed.map((repair) => `    ${shown(repairText(repair), 320)}`)
  const fixed = printed.length === 0 ? [] : [`  ${paint.dim("fixed while")} ${callText(call)}`, ...lines]
  const all = isVerbose ? fixed : [...itemCounts(repairs), ...fixed]
  return all.length === 0 ? undefined : all.join("\n")
}

/** The issues that ended a run because of the model, with what a person can do. */
export const lastIssues = (issues: ReadonlyArray<Issue>): ReadonlyArray<string> => [
  ...findingLines(issues, false).map((line) => line.slice(2)),
  ...(issues.length === 0 ? [] : [`  What you can do: ${helpText(issues)}`])
]

/** How long the run waits for the server. */
export const serverLine = ({ message, secondsLeft }: Of<"server.waiting">, paint: Paint): string =>
  `  ${paint.yellow("waiting")} for the model server, ${clockText(secondsLeft * 1000)} left: ${shown(message, 400)}`
