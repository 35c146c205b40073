/**
 * Writes the progress of a run, a plain line for each event that concerns the user. All text of models and tools is
 * made printable.
 */
import { usualHelp } from "../../domain/findings/IssueText.ts"
import { stepText } from "../../domain/plan/TaskName.ts"
import { toolCallKey } from "../../domain/runs/ActivityKey.ts"
import { toolCallText } from "../../domain/runs/CallText.ts"
import type { LiveState } from "../../domain/runs/LiveState.ts"
import { stageText } from "../../domain/runs/LiveText.ts"
import { interruptedText } from "../../domain/runs/RunOutcome.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import { counted, namesOf, secondsText, withoutProject } from "../../domain/text/Format.ts"
import { ranText } from "../../domain/checks/RanTests.ts"
import { badExit, commandEnd, type CommandEnd, type ToolResult } from "../../domain/tools/ToolCall.ts"
import { progressText } from "../../domain/tools/ToolProgress.ts"
import type { Paint } from "./Colour.ts"
import { outcomeLines } from "./Ending.ts"
import {
  isOwnChoice,
  messageLine,
  callText,
  rejectedLine,
  repairedLine,
  retryLine,
  type SeenFindings,
  serverLine,
  waitingLine,
  safeText
} from "./EventLines.ts"
import { deniedOf, finishedText } from "../../domain/plan/TaskResult.ts"

export interface ProgressOptions {
  /** True to show also all repairs and issues of answers, and the turns of tasks. */
  readonly isVerbose?: boolean
  /** The state of the current work. Progress lines need it to describe events. */
  readonly live?: LiveState
  /** True if the screen draws the current work. Progress lines then leave it out. */
  readonly isDrawn?: boolean
  readonly seen?: SeenFindings
}

/** The maximum number of tasks in a line. */
const mostNames = 5

const namesText = (names: ReadonlyArray<string>): string => {
  const all = names.length <= mostNames ? names : names.slice(0, mostNames - 2)
  const more = names.length - all.length
  return `${all.map((name) => safeText(name)).join(", ")}${more === 0 ? "" : ` and ${more} more`}`
}

type Answered = Extract<RunEvent, { readonly type: "approval.answered" }>

const answers: Readonly<Record<Answered["answer"], string>> = {
  step: "approved",
  repairs: "approved, with repairs",
  remaining: "approved, with all later steps",
  chosen: "approved in part",
  decline: "declined",
  once: "allowed",
  session: "allowed for this session",
  remember: "allowed from now on",
  deny: "not allowed",
  again: "carried out again",
  done: "taken as done",
  stop: "stopped",
  said: "answered",
  nothing: "not answered"
}

const isNo: ReadonlySet<string> = new Set(["decline", "deny", "stop"])

/** The line about the answer to a question. If the user did not answer, the line says who did. */
const answeredLine = ({ always = [], answer, by, instead }: Answered): string | undefined => {
  if (answer === "said" || answer === "nothing") return by === "person" ? `  ${answers[answer]}` : undefined
  const what =
    by === "rule" && !isNo.has(answer)
      ? "  approved by a flag or rule"
      : by === "nobody"
        ? "  not approved: no terminal to ask on"
        : always.length === 0
          ? `  ${answers[answer]}`
          : `  ${answer === "step" ? answers.step : answers.once}, always in this project: ${safeText(always.join(", "), 400)}`
  return instead === undefined ? what : `${what}, instead: ${safeText(instead)}`
}

const forTask = (task: string): string => ` for "${safeText(task)}"`

/** The text about a call from its first event. If this event is unknown, the name of the tool. */
export const toolText = (
  { id, name }: Extract<RunEvent, { readonly type: "tool.finished" }>,
  { live }: ProgressOptions
): string => safeText(live?.tools.get(toolCallKey(id))?.text ?? name)

/** The first line of the reason for a failure. Leaves out a last sentence that only introduces further lines. */
export const failureText = ({ error_message }: ToolResult, live: LiveState | undefined): string => {
  const [first = "", ...rest] = (error_message ?? "").split("\n")
  const line = rest.length === 0 ? first : first.replace(/[.;] [^.;]*:$/, ".")
  return safeText(withoutProject(line, live?.run.project ?? ""), 400)
}

/**
 * The last line of a command's output, because it often has totals. If the output has several lines, their number
 * follows. `nothing` for empty output.
 */
export const lastLine = ({ output }: CommandEnd): string => {
  const lines = output.trimEnd().split("\n")
  const more = lines.length > 1 ? ` (${lines.length} lines)` : ""
  return output.trim() === "" ? "nothing" : `${safeText(lines.at(-1) ?? "", 100)}${more}`
}

/** The line about a command that failed within a successful tool call; otherwise undefined. */
const exitLine = (
  event: Extract<RunEvent, { readonly type: "tool.finished" }>,
  paint: Paint,
  options: ProgressOptions
): string | undefined => {
  const [exit, end] = [badExit(event.result), commandEnd(event.result)]
  return exit === undefined || end === undefined
    ? undefined
    : `  ${paint.yellow(exit)} ${toolText(event, options)}${forTask(event.id.task)}: ${lastLine(end)}`
}

/** The line about a finished step, with the number of tasks without a result. */
const stepLine = (title: string, paint: Paint, live: LiveState | undefined): string => {
  const names = live?.steps.findLast((step) => step.title === title)?.tasks ?? []
  const stages = names.map((name) => live?.tasks.get(name)?.stage)
  const without = stages.filter((stage) => stage !== "finished" && stage !== "kept").length
  return without === 0
    ? `  ${paint.green("finished")} ${safeText(stepText(title))}`
    : `  ${paint.yellow("ended")} ${safeText(stepText(title))}: ${without} of ${counted(names.length, "task")} without a result`
}

const finishedLine = ({ result, task }: Extract<RunEvent, { readonly type: "task.finished" }>, paint: Paint) => {
  const denied = deniedOf(result.calls)
  const colour = denied === undefined ? paint.green : paint.yellow
  return `  ${colour(finishedText(denied))} "${safeText(task)}"`
}

/** The line about a check that ran on the unchanged project. */
const triedLine = (
  { command, failures, reason = "", seconds, status }: Extract<RunEvent, { readonly type: "check.tried" }>,
  paint: Paint
): string => {
  const name = safeText(command)
  if (status === "not checked") return `${paint.yellow("the check proves nothing:")} ${name}. ${safeText(reason, 600)}`
  if (status === "passed")
    return paint.dim(`  before any change, the check passes: ${name} (${secondsText(Math.round(seconds))})`)
  return paint.dim(`  before any change, the check fails: ${name}: ${safeText(namesOf(failures), 400)}`)
}

/** The line about a check. Without new failures, a check counts as passed. */
const checkLine = (
  {
    command,
    exitCode,
    newFailures,
    ran,
    seconds,
    status,
    text
  }: Extract<RunEvent, { readonly type: "check.finished" }>,
  paint: Paint
): string => {
  const name = safeText(command)
  const lines = text.split("\n")
  const [first = ""] = lines
  if (exitCode === null && newFailures.length === 0) return `${paint.yellow("not checked")} ${safeText(first, 400)}`
  if (status === "failed" && newFailures.length === 0) {
    return `${paint.red("check failed")} ${name}: ${safeText(lines.at(-1) ?? "", 400)}`
  }
  if (newFailures.length === 0) {
    const tests = ran === undefined ? "" : `: ${safeText(ranText(ran), 400)}`
    return `${paint.green(exitCode === 0 ? "passed" : "nothing new fails")} ${name}${tests}`
  }
  const names = newFailures.slice(0, 3).map((one) => safeText(one))
  const more = newFailures.length > names.length ? ` and ${newFailures.length - names.length} more` : ""
  return `${paint.red("check failed")} ${name} after ${secondsText(Math.round(seconds))}: ${names.join(", ")}${more}`
}

/** The line about the current work; undefined if the screen draws it. */
const workLine = (event: RunEvent, paint: Paint, { isVerbose = false, live }: ProgressOptions): string | undefined => {
  switch (event.type) {
    case "stage.started":
      return event.task === undefined ? `${stageText[event.stage]} ...` : undefined
    case "step.started":
      return safeText(stepText(event.title))
    case "tool.started":
      return paint.dim(
        `  call ${safeText(toolCallText(event.call, event.targets, live?.run.project))}${forTask(event.id.task)}`
      )
    case "check.tried":
      return triedLine(event, paint)
    case "check.started":
      return paint.dim(`  check ${safeText(event.command)}${event.task === undefined ? "" : forTask(event.task)}`)
    case "model.waiting":
      return waitingLine(event, paint, live)
    case "tool.running": {
      const ends = event.endsAtSeconds === undefined ? "" : `; is stopped after ${secondsText(event.endsAtSeconds)}`
      return paint.dim(
        `  ${safeText(event.name)}${forTask(event.id.task)}: running for ${secondsText(event.seconds)}${ends}`
      )
    }
    case "tool.progress":
      return paint.dim(`  ${safeText(event.name)}${forTask(event.id.task)}: ${safeText(progressText(event))}`)
    case "check.running": {
      const task = event.task === undefined ? "" : forTask(event.task)
      return paint.dim(
        `  check ${safeText(event.command)}${task}: running for ${secondsText(event.seconds)}; is stopped after ${secondsText(event.endsAtSeconds)}`
      )
    }
    case "model.phase":
      return event.phase === "thinking" && isVerbose ? paint.dim(`  ${callText(event.call)}: thinking`) : undefined
    case "round.started":
      return isVerbose ? paint.dim(`round ${event.round}`) : undefined
    default:
      return undefined
  }
}

/** The turns of a task, for --verbose. */
const insideLine = (event: RunEvent): string | undefined => {
  switch (event.type) {
    case "task.worked":
      return `  refined "${safeText(event.task)}": ${event.calls.length === 0 ? "no calls" : event.calls.map((call) => safeText(call.name)).join(", ")}`
    case "task.turn":
      return `  turn ${event.turn} of "${safeText(event.task)}": ${[...event.calls.map((call) => safeText(call.name)), ...event.changed.map((path) => `changes ${safeText(path)}`)].join(", ")}`
    default:
      return undefined
  }
}

/** The line for an event. Undefined if only programs need the event. */
export const progressLine = (event: RunEvent, paint: Paint, options: ProgressOptions = {}): string | undefined => {
  const { isDrawn = false, isVerbose = false, live, seen: reported } = options
  switch (event.type) {
    case "run.started":
      return `${paint.bold("run")} ${event.runId} with ${safeText(event.model)} in ${safeText(event.project)}`
    case "plan.created": {
      const { steps, tasks } = event.taskList
      const attempt = event.attempts > 1 ? `, attempt ${event.attempts}` : ""
      return `${paint.bold("plan")} ${counted(tasks.length, "task")} in ${counted(steps.length, "step")}${attempt}: ${namesText(tasks.map(({ name }) => name))}`
    }
    case "plan.revised": {
      const { tasks } = event.taskList
      return tasks.length === 0
        ? "The model plans no more tasks."
        : `${paint.bold("plan")} goes on with ${counted(tasks.length, "task")}: ${namesText(tasks.map(({ name }) => name))}`
    }
    case "task.worked":
    case "task.turn":
      return isVerbose ? insideLine(event) : undefined
    case "task.item":
      return paint.dim(
        `  item ${event.number} of ${event.of} ${event.state}: ${safeText(event.item, 120)}${forTask(event.task)}`
      )
    case "task.kept":
      return paint.dim(`  finished before: "${safeText(event.task)}"`)
    case "task.finished":
      return isDrawn && !isVerbose ? undefined : finishedLine(event, paint)
    case "step.finished":
      return isDrawn && !isVerbose ? stepLine(event.title, paint, live) : undefined
    case "task.failed":
      return [
        `  ${paint.red(event.failure.skipped ? "skipped" : "failed")} ${safeText(withoutProject(event.failure.message, live?.run.project ?? ""), 400)}`,
        ...(event.failure.cause?._tag === "NoValidAnswer" ? [`    What you can do: ${usualHelp}`] : [])
      ].join("\n")
    case "tool.finished":
      /* The answer to the question and the end of the run already report a denial. */
      if (event.result.success) return exitLine(event, paint, options)
      return isOwnChoice(event.result.error_message ?? "")
        ? undefined
        : `  ${paint.yellow("call failed")} ${toolText(event, options)}${forTask(event.id.task)}: ${failureText(event.result, live)}`
    case "check.finished":
      return `  ${checkLine(event, paint)}`
    case "model.failed":
      return event.willRetry ? retryLine(event, paint) : undefined
    case "server.waiting":
      return isDrawn ? undefined : serverLine(event, paint)
    case "server.back":
      return `  the model server is back after ${secondsText(event.waitedSeconds)}`
    case "answer.rejected":
      return rejectedLine(event, paint, isVerbose, reported)
    case "answer.repaired":
      return repairedLine(event, paint, isVerbose)
    case "approval.answered":
      return answeredLine(event)
    case "message":
      return event.text === interruptedText ? undefined : messageLine(event, paint, live?.run.project ?? "")
    // Nothing else prints the last lines of an interrupted run.
    case "run.finished":
      return event.report.status === "interrupted"
        ? outcomeLines(event.report, paint, {
            isVerbose,
            userMs: live?.questions.userMs ?? 0,
            project: live?.run.project ?? ""
          })
        : undefined
    default:
      return isDrawn && !isVerbose ? undefined : workLine(event, paint, options)
  }
}
