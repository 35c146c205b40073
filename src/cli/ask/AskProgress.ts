/**
 * Formats the progress of a conversation for a terminal: one line for each call with its outcome, one for each answered
 * message.
 */
import { callWords } from "../../domain/runs/CallWords.ts"
import { changeOf } from "../../domain/runs/FileChanges.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import type { AskReport } from "../../domain/runs/RunReport.ts"
import { dataText, type ToolResult } from "../../domain/tools/ToolCall.ts"
import type { Paint } from "../terminal/Colour.ts"
import { timeText } from "../terminal/Ending.ts"
import { isOwnChoice } from "../terminal/MessageLine.ts"
import { failureText, progressLine, type ProgressOptions, toolText } from "../terminal/Progress.ts"
import { count, shown, statusWords } from "../terminal/Wording.ts"

/** The first line of an output, with how many more there are; of a change only its size, as it was shown before. */
const shortOutput = (result: ToolResult): string => {
  if (result.data === null) return "nothing"
  const change = changeOf(result.data)
  if (change !== undefined) return `+${change.added} -${change.removed}`
  const lines = (typeof result.data === "string" ? result.data : JSON.stringify(result.data)).trimEnd().split("\n")
  const more = lines.length > 1 ? ` (${lines.length} lines)` : ""
  return `${shown(lines[0] ?? "", 100)}${more}`
}

const callLine = (call: string, result: ToolResult, paint: Paint, { live }: ProgressOptions): string | undefined => {
  /* The answer to the question was told, and the end of the message says what was denied. */
  if (result.error_type === "permission_denied") return undefined

  const took = `${paint.dim(`${Math.round(result.metadata.execution_time_ms)} ms`)}`
  return result.success
    ? `  ${paint.green("ok")} ${call} ${took}: ${dataText(result.data ?? "") === "" ? "nothing" : shortOutput(result)}`
    : `  ${paint.yellow("call failed")} ${call} ${took}: ${failureText(result, live)}`
}

/** The time in which a person thought is theirs. */
const answeredLine = (
  { iterations, durationMs, reason, status, toolCalls }: AskReport,
  paint: Paint,
  personMs: number
): string => {
  const colour =
    status === "done" ? paint.green : status === "interrupted" || isOwnChoice(reason) ? paint.yellow : paint.red
  return `${paint.bold(colour(status === "interrupted" ? "stopped" : statusWords(status)))}: ${[
    count(iterations, "model call"),
    count(toolCalls, "tool call"),
    timeText(durationMs, personMs)
  ].join(", ")}`
}

/** The line for an event of a conversation; nothing for events that only programs need. */
export const askLine = (event: RunEvent, paint: Paint, options: ProgressOptions = {}): string | undefined => {
  switch (event.type) {
    case "run.started":
      return `${paint.bold("ask")} ${event.runId} with ${shown(event.model)} in ${shown(event.project)}`
    case "tool.started":
      return options.isDrawn === true
        ? undefined
        : paint.dim(`  call ${shown(callWords(event.call, event.targets, options.live?.project))}`)
    case "tool.finished":
      return callLine(toolText(event, options), event.result, paint, options)
    case "answer.repaired":
      return paint.dim(`  fixed: ${event.repairs.map(({ message }) => shown(message)).join(" ")}`)
    case "ask.finished":
      return answeredLine(event.report, paint, options.live?.personMs ?? 0)
    case "run.finished":
      return undefined
    default:
      return progressLine(event, paint, options)
  }
}
