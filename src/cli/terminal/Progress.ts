/**
 * Formats the progress of a run for a terminal: one plain line for each event that a person needs. Pure; text of models
 * and tools is made printable first.
 */
import { type Issue, issueText, whereText } from "../../domain/findings/Issue.ts"
import {
  helpText,
  mayLoseSomething,
  modelText,
  personText,
  repairText,
  usualHelp
} from "../../domain/findings/PersonText.ts"
import { printable } from "../../domain/text/Printable.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import type { RunReport } from "../../domain/runs/RunReport.ts"
import type { Paint } from "./Colour.ts"

/** `1 task`, `2 tasks`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

/** `1.7 s` */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** `45 s`, `4 min 45 s` */
const duration = (total: number): string => {
  const minutes = Math.floor(total / 60)
  return minutes === 0 ? `${total} s` : `${minutes} min ${total % 60} s`
}

/** A name from a model, bounded. */
export const shown = (text: string, most = 160): string => {
  const line = printable(text)
  return line.length > most ? `${line.slice(0, most)}...` : line
}

const stageText = {
  plan: "plan",
  refine: "refine",
  execute: "execute",
  iterate: "iterate",
  conclude: "conclude",
  ask: "ask"
} as const

const taskPart = (task: string | undefined): string => (task === undefined ? "" : ` "${shown(task)}"`)

/** The pass of a refinement that looked first. */
const passPart = (pass: number | undefined): string => (pass === undefined ? "" : `, pass ${pass}`)

/** How many findings of an answer are shown; the others are counted. */
const mostFindings = 3

/** What a model got wrong: for a person what went wrong, and on request what the model is told to write. */
const findingLines = (issues: ReadonlyArray<Issue>, isVerbose: boolean): ReadonlyArray<string> => {
  const first = isVerbose ? issues : issues.slice(0, mostFindings)
  const left = issues.length - first.length
  return [
    ...first.flatMap((issue) => {
      const line = `    ${shown(personText(issue), 320)}`
      return isVerbose ? [line, `      to the model: ${shown(modelText(issue), 800)}`] : [line]
    }),
    ...(left === 0 ? [] : [`    and ${left} more, which --verbose shows`])
  ]
}

/** What was fixed in an answer: on request all of it, otherwise only that with which something may be lost. */
const repairedLines = (
  { call, repairs }: Extract<RunEvent, { readonly type: "answer.repaired" }>,
  paint: Paint,
  isVerbose: boolean
): string | undefined => {
  const told = isVerbose ? repairs : repairs.filter(mayLoseSomething)
  const lines = told.map((repair) => `    ${shown(repairText(repair), 320)}`)
  const head = `  ${paint.dim("answer fixed")} ${call.stage}${taskPart(call.task)}${passPart(call.pass)}, attempt ${call.attempt}`
  return told.length === 0 ? undefined : [head, ...lines].join("\n")
}

/** Place, what is wrong and what to do, on one line: for the author of a document. */
const issueLine = (issue: Issue, most: number): string => {
  const place = whereText(issue.where)
  return shown(`${place === "" ? "" : `${place}: `}${issueText(issue)}`, most)
}

/** `no_valid_plan` as `no valid plan`. */
export const statusWords = (status: RunReport["status"]): string => status.replaceAll("_", " ")

/** Why a call is sent again, in a word or two; the whole message is shown when it is not retried. */
const retryReason = (reason: string): string => reason.replace(/\B[A-Z]/g, " $&").toLowerCase()

/** What happened, and which retry follows. */
const retryLine = (
  { call, reason, retries, retry, what }: Extract<RunEvent, { readonly type: "model.failed" }>,
  paint: Paint
): string => {
  const why = what === undefined ? "" : ` (${shown(what)})`
  const which = retry === undefined ? "" : ` (retry ${retry} of ${retries})`
  return `  ${paint.yellow("model")} ${call.stage}${taskPart(call.task)}: ${retryReason(reason)}${why}, trying again${which}`
}

/** What a model call waits for, how long already, and when the limit ends it. */
const waitingText = (event: Extract<RunEvent, { readonly type: "model.waiting" }>): string => {
  const { characters = 0, endsAtSeconds, phase, seconds: waited } = event
  const time = `for ${waited} s; ends at ${endsAtSeconds} s`
  switch (phase) {
    case "connecting":
      return `connecting to the model server ${time}`
    case "turn":
      return `waiting for its turn at the model server ${time}`
    case "first_word":
      return `waiting for the first word of the model ${time}`
    case "next_word":
      return `waiting for the next word of the model ${time}`
    case "writing":
      return `the model has written ${count(characters, "character")} in ${waited} s; ends at ${endsAtSeconds} s`
  }
}

/** Says how many links of the answer and the results are marked as wrong; nothing when all are right. */
const evidenceLine = (evidence: RunReport["evidence"]): ReadonlyArray<string> =>
  evidence === undefined || evidence.wrong === 0
    ? []
    : [
        `evidence: ${evidence.wrong} of ${count(evidence.checked, "link")} could not be confirmed; each is marked in the text`
      ]

/** The issues that ended a run. Without a model call they are about a document that the person gave. */
const endingIssues = ({ issues, usage }: RunReport): ReadonlyArray<string> =>
  usage.modelCalls === 0
    ? issues.map((issue) => `  ${issueLine(issue, 800)}`)
    : [
        ...issues.map((issue) => `  ${shown(personText(issue), 800)}`),
        ...(issues.length === 0 ? [] : [`  What you can do: ${helpText(issues)}`])
      ]

/** The last lines: how the run ended and what it cost, with the issues that ended it. */
export const outcomeLines = (report: RunReport, paint: Paint): string => {
  const { evidence, failures, results, rounds, status, usage } = report
  return [
    ...endingIssues(report),
    ...evidenceLine(evidence),
    `${paint.bold(status === "done" ? paint.green(status) : paint.red(statusWords(status)))}: ${[
      count(results.length, "result"),
      ...(failures.length === 0 ? [] : [count(failures.length, "failure")]),
      count(rounds, "round"),
      count(usage.modelCalls, "model call"),
      count(usage.toolCalls, "tool call"),
      seconds(usage.durationMs)
    ].join(", ")}`
  ].join("\n")
}

/** The line for an event; nothing for events that only programs need. */
export const progressLine = (event: RunEvent, paint: Paint, isVerbose = false): string | undefined => {
  switch (event.type) {
    case "run.started":
      return `${paint.bold("run")} ${event.runId} with ${shown(event.model)} in ${shown(event.project)}`
    case "stage.started":
      return event.task === undefined ? `${stageText[event.stage]} ...` : undefined
    case "plan.created":
      return `${paint.bold("plan")} ${count(event.taskList.tasks.length, "task")} in ${count(event.taskList.steps.length, "step")}${event.attempts > 1 ? `, attempt ${event.attempts}` : ""}: ${event.taskList.tasks.map((task) => shown(task.name)).join(", ")}`
    case "plan.revised":
      return event.taskList.tasks.length === 0
        ? "plan: nothing left to do"
        : `${paint.bold("plan")} revised: ${event.taskList.tasks.map((task) => shown(task.name)).join(", ")}`
    case "round.started":
      return paint.dim(`round ${event.round}`)
    case "step.started":
      return shown(event.title)
    case "task.refined":
      return `  refined "${shown(event.task)}": ${event.calls.length === 0 ? "no calls" : event.calls.map((call) => shown(call.name)).join(", ")}`
    case "task.looked":
      return `  looks for "${shown(event.task)}": ${event.calls.map((call) => shown(call.name)).join(", ")}`
    case "task.kept":
      return paint.dim(`  kept "${shown(event.task)}"`)
    case "task.finished":
      return `  ${paint.green("finished")} "${shown(event.task)}"`
    case "task.failed":
      return [
        `  ${paint.red(event.failure.skipped ? "skipped" : "failed")} ${shown(event.failure.message, 400)}`,
        ...(event.failure.cause?._tag === "NoValidAnswer" ? [`    What you can do: ${usualHelp}`] : [])
      ].join("\n")
    case "tool.started":
      return paint.dim(
        `  call ${[event.call.name, ...event.targets].map((word) => shown(word)).join(" ")} for${taskPart(event.id.task)}`
      )
    case "tool.finished":
      return event.result.success
        ? undefined
        : `  ${paint.yellow("call failed")} ${shown(event.name)} for${taskPart(event.id.task)}: ${shown(event.result.error_message ?? "", 400)}`
    case "model.failed":
      return event.willRetry ? retryLine(event, paint) : undefined
    case "model.waiting":
      return paint.dim(`  ${event.call.stage}${taskPart(event.call.task)}: ${waitingText(event)}`)
    case "tool.running":
      return paint.dim(
        `  ${shown(event.name)} for${taskPart(event.id.task)}: running for ${event.seconds} s${event.endsAtSeconds === undefined ? "" : `; ends at ${event.endsAtSeconds} s`}`
      )
    case "model.phase":
      return event.phase === "thinking"
        ? paint.dim(`  ${event.call.stage}${taskPart(event.call.task)}: thinking`)
        : undefined
    case "server.waiting":
      return `  ${paint.yellow("waiting")} for the model server, ${duration(event.secondsLeft)} left: ${shown(event.message, 400)}`
    case "server.back":
      return `  the model server is back after ${duration(event.waitedSeconds)}`
    case "answer.rejected":
      return [
        `  ${paint.yellow("answer rejected")} ${event.call.stage}${taskPart(event.call.task)}${passPart(event.call.pass)}, attempt ${event.call.attempt}: ${count(event.issues.length, "issue")}`,
        ...findingLines(event.issues, isVerbose)
      ].join("\n")
    case "answer.repaired":
      return repairedLines(event, paint, isVerbose)
    case "approval.answered":
      return `  approval: ${event.answer}${event.by === "person" ? "" : ` (${event.by})`}${event.instead === undefined ? "" : `, instead: ${shown(event.instead)}`}`
    case "message":
      return `${event.level === "error" ? paint.red("error") : event.level === "warning" ? paint.yellow("warning") : "note"}: ${event.text
        .split("\n")
        .map((line) => shown(line, 2000))
        .join("\n  ")}`
    case "run.finished":
      return event.report.status === "interrupted" ? outcomeLines(event.report, paint) : undefined
    default:
      return undefined
  }
}
