/**
 * Formats the progress of a conversation for a terminal: one line for each call with its outcome, one for each answered
 * message.
 */
import type { AskReport } from "../../domain/runs/RunReport.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import { dataText, type ToolResult } from "../../domain/tools/ToolCall.ts"
import type { Paint } from "../terminal/Colour.ts"
import { count, progressLine, seconds, shown, statusWords } from "../terminal/Progress.ts"

/** The first line of an output, with how many more there are. */
const shortOutput = (result: ToolResult): string => {
  if (result.data === null) return "nothing"
  const lines = (typeof result.data === "string" ? result.data : JSON.stringify(result.data)).trimEnd().split("\n")
  const more = lines.length > 1 ? ` (${lines.length} lines)` : ""
  return `${shown(lines[0] ?? "", 100)}${more}`
}

const callLine = (name: string, result: ToolResult, paint: Paint): string => {
  const took = `${paint.dim(`${Math.round(result.metadata.execution_time_ms)} ms`)}`
  return result.success
    ? `  ${paint.green("ok")} ${shown(name)} ${took}: ${dataText(result.data ?? "") === "" ? "nothing" : shortOutput(result)}`
    : `  ${paint.yellow(result.error_type.replaceAll("_", " "))} ${shown(name)} ${took}: ${shown(result.error_message ?? "", 400)}`
}

const answeredLine = ({ iterations, durationMs, status, toolCalls }: AskReport, paint: Paint): string =>
  `${paint.bold(status === "done" ? paint.green(status) : paint.red(statusWords(status)))}: ${[
    count(iterations, "iteration"),
    count(toolCalls, "tool call"),
    seconds(durationMs)
  ].join(", ")}`

/** The line for an event of a conversation; nothing for events that only programs need. */
export const askLine = (event: RunEvent, paint: Paint): string | undefined => {
  switch (event.type) {
    case "run.started":
      return `${paint.bold("ask")} ${event.runId} with ${shown(event.model)} in ${shown(event.project)}`
    case "tool.started": {
      const given = Object.values(event.call.arguments).map((value) =>
        typeof value === "string" ? value : JSON.stringify(value)
      )
      const what = event.targets.length > 0 ? event.targets : given
      return paint.dim(`  call ${[event.call.name, ...what].map((word) => shown(word, 100)).join(" ")}`)
    }
    case "tool.finished":
      return callLine(event.name, event.result, paint)
    case "answer.repaired":
      return paint.dim(`  fixed: ${event.repairs.map(({ message }) => shown(message)).join(" ")}`)
    case "ask.finished":
      return answeredLine(event.report, paint)
    case "run.finished":
      return undefined
    default:
      return progressLine(event, paint)
  }
}
