/**
 * Prints a conversation on a terminal: a line for each call and each answered message, and the arriving answers.
 * Finished markdown blocks are rendered, and the unfinished block is drawn below. In plain mode, text is printed
 * unchanged as it arrives.
 */
import * as Effect from "effect/Effect"
import { factLines } from "../../domain/checks/Facts.ts"
import { toolCallText } from "../../domain/runs/CallText.ts"
import { changeOf } from "../../domain/runs/FileChanges.ts"
import { type RunEvent, isHeartbeat } from "../../domain/runs/RunEvent.ts"
import type { AskReport } from "../../domain/runs/RunReport.ts"
import { badExit, commandEnd, dataText, type ToolResult } from "../../domain/tools/ToolCall.ts"
import type { Paint } from "../terminal/Colour.ts"
import { timeText } from "../terminal/Ending.ts"
import { isOwnChoice, safeText, statusText } from "../terminal/EventLines.ts"
import { failureText, lastLine, progressLine, type ProgressOptions, toolText } from "../terminal/Progress.ts"
import { answerBlocks } from "../../domain/conversation/AnswerBlocks.ts"
import { type EventSink, lineSink } from "../terminal/EventSink.ts"
import { markdownText } from "../terminal/MarkdownText.ts"
import { Output, redactText } from "../terminal/Output.ts"
import { counted } from "../../domain/text/Format.ts"

/**
 * Sums up an output:
 * - For a change, the number of added and removed lines. The question has already shown the change itself.
 * - For a command, the last line and the number of lines.
 * - For any other output, the first line and the number of lines.
 */
const shortOutput = (result: ToolResult): string => {
  if (result.data === null) return "nothing"
  const change = changeOf(result.data)
  if (change !== undefined) return `+${change.added} -${change.removed}`
  const end = commandEnd(result)
  if (end !== undefined) return lastLine(end)
  const lines = (typeof result.data === "string" ? result.data : JSON.stringify(result.data)).trimEnd().split("\n")
  const more = lines.length > 1 ? ` (${lines.length} lines)` : ""
  return `${safeText(lines[0] ?? "", 100)}${more}`
}

const callLine = (call: string, result: ToolResult, paint: Paint, { live }: ProgressOptions): string | undefined => {
  /* The question and the end of the message already report a denial. */
  if (result.error_type === "permission_denied") return undefined

  const took = `${paint.dim(`${Math.round(result.metadata.execution_time_ms)} ms`)}`
  const exit = badExit(result)
  return result.success
    ? `  ${exit === undefined ? paint.green("ok") : paint.yellow(exit)} ${call} ${took}: ${dataText(result.data ?? "") === "" ? "nothing" : shortOutput(result)}`
    : `  ${paint.yellow("call failed")} ${call} ${took}: ${failureText(result, live)}`
}

/** The line about an answered message. The time for the user's own answers does not count. */
const answeredLine = (
  { iterations, durationMs, facts, reason, status, toolCalls }: AskReport,
  paint: Paint,
  userMs: number
): string => {
  const colour =
    status === "done"
      ? paint.green
      : status === "interrupted" || status === "declined" || isOwnChoice(reason)
        ? paint.yellow
        : paint.red
  const known = facts === undefined ? [] : factLines(facts).map((line) => `${safeText(line)}\n`)
  return `${known.join("")}${paint.bold(colour(status === "interrupted" ? "stopped" : statusText(status)))}: ${[
    counted(iterations, "model call"),
    counted(toolCalls, "tool call"),
    timeText(durationMs, userMs)
  ].join(", ")}`
}

/** The line for an event. Undefined if only programs need the event. */
export const askLine = (event: RunEvent, paint: Paint, options: ProgressOptions = {}): string | undefined => {
  switch (event.type) {
    case "run.started":
      return `${paint.bold("ask")} ${event.runId} with ${safeText(event.model)} in ${safeText(event.project)}`
    case "tool.started":
      return options.isDrawn === true
        ? undefined
        : paint.dim(`  call ${safeText(toolCallText(event.call, event.targets, options.live?.run.project))}`)
    case "tool.finished":
      return callLine(toolText(event, options), event.result, paint, options)
    case "ask.finished":
      return answeredLine(event.report, paint, options.live?.questions.userMs ?? 0)
    case "run.finished":
      return undefined
    default:
      return progressLine(event, paint, options)
  }
}

export interface AnswerPrinter {
  /** Takes each piece of the answer as it arrives. */
  readonly listen: (piece: string) => void
  /** Shows the progress of the conversation on stderr. */
  readonly sink: EventSink
}

/** Events after which the text of an answer does not continue. */
const ends: ReadonlySet<RunEvent["type"]> = new Set([
  "model.finished",
  "model.failed",
  "tool.started",
  "approval.requested",
  "ask.finished",
  "run.finished"
])

/** Holds back lines while an answer arrives, except progress reports. */
const makeHold = () => {
  const waiting: Array<string> = []
  let isComing = false
  return {
    begin: (): void => void (isComing = true),
    line: (event: RunEvent, paint: Paint, options: ProgressOptions): string | undefined => {
      if (ends.has(event.type)) isComing = false
      const text = askLine(event, paint, options)
      if (isHeartbeat(event)) return text
      if (text !== undefined) waiting.push(text)
      return isComing || waiting.length === 0 ? undefined : waiting.splice(0).join("\n")
    }
  }
}

/** Prints text as it arrives. A line of progress always starts on a new line. */
const makePlainPrinter = Effect.gen(function* () {
  const { follow } = yield* Output
  const hold = makeHold()
  let isInLine = false
  const line = (event: RunEvent, paint: Paint, options: ProgressOptions) => {
    // The user sees the arriving text, which makes a line of progress needless.
    if (isInLine && event.type === "model.waiting" && event.phase === "writing") return undefined
    const text = hold.line(event, paint, options)
    if (isInLine && (text !== undefined || event.type === "approval.requested")) {
      follow("\n")
      isInLine = false
    }
    return text
  }
  const sink = yield* lineSink(line, { isPlain: true })
  const printer: AnswerPrinter = {
    listen: (piece) => {
      if (piece === "") return
      hold.begin()
      follow(redactText(piece))
      isInLine = !piece.endsWith("\n")
    },
    sink
  }
  return printer
})

/** Prints finished blocks as rendered markdown. */
const makeRenderingPrinter = Effect.fnUntraced(function* (below: () => ReadonlyArray<string>) {
  const { printNow, resultColumns, resultPaint: paint, screen } = yield* Output
  let open = ""
  let isBlank = true
  const print = (block: string): void => {
    const text = markdownText(redactText(block), { paint, columns: resultColumns(), isUnicode: screen.isUnicode })
    const hasGap = block.trim() === "" || /\n[^\S\n]*\n$/.test(block)
    const gap = hasGap && !(text === "" && isBlank) ? "\n" : ""
    if (text !== "" || gap !== "") printNow(`${text === "" ? "" : `${text}\n`}${gap}`)
    isBlank = hasGap
  }
  const flush = (): void => {
    const rest = open
    open = ""
    if (rest.trim() !== "") print(`${rest.trimEnd()}\n`)
  }
  const hold = makeHold()
  const sink = yield* lineSink(hold.line, {
    stop: "stops the answer",
    below,
    unfinished: () => open,
    before: ({ type }) => {
      if (ends.has(type)) flush()
    }
  })
  const printer: AnswerPrinter = {
    listen: (piece) => {
      hold.begin()
      const { finished, rest } = answerBlocks(open + piece)
      open = rest
      finished.forEach(print)
    },
    sink
  }
  return printer
})

/**
 * Makes the printer for answers on stdout and progress on stderr. It prints plain text if the caller wants it, or if
 * the screen cannot redraw an unfinished block.
 */
export const makeAnswerPrinter = (
  isPlain: boolean,
  below: () => ReadonlyArray<string> = () => []
): Effect.Effect<AnswerPrinter, never, Output> =>
  Output.use(({ screen }) => (isPlain || !screen.canDraw ? makePlainPrinter : makeRenderingPrinter(below)))
