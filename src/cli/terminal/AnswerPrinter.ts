/**
 * Prints the text of answers as it arrives, on a terminal that shows progress too. A block is rendered and printed when it
 * is finished; until then its end is drawn with what goes on. Plain text is printed piece by piece.
 */
import * as Effect from "effect/Effect"
import { answerBlocks } from "../../domain/markdown/AnswerBlocks.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import type { Paint } from "./Colour.ts"
import { askLine } from "../ask/AskProgress.ts"
import type { EventSink } from "./EventSink.ts"
import { lineSink } from "./LineSink.ts"
import { isSignOfLife } from "../../domain/runs/SignOfLife.ts"
import { markdownText } from "./MarkdownText.ts"
import { Output } from "./Output.ts"
import type { ProgressOptions } from "./Progress.ts"

export interface AnswerPrinter {
  /** Takes the text of an answer, piece by piece. */
  readonly listen: (piece: string) => void
  /** The progress of the conversation on stderr. */
  readonly sink: EventSink
}

/** After these, nothing more comes of the text before. */
const ends: ReadonlySet<RunEvent["type"]> = new Set([
  "model.finished",
  "model.failed",
  "tool.started",
  "approval.requested",
  "ask.finished",
  "run.finished"
])

/** Text as it comes; a line about something else waits until the text has ended, except for a sign of life. */
const makePlainPrinter = Effect.gen(function* () {
  const { follow } = yield* Output
  let isInLine = false
  const breakLine = (): void => {
    if (isInLine) follow("\n")
    isInLine = false
  }
  const held: Array<string> = []
  const line = (event: RunEvent, paint: Paint, options: ProgressOptions) => {
    // The text that comes is the better sign of life.
    if (isInLine && event.type === "model.waiting" && event.phase === "writing") return undefined
    const text = askLine(event, paint, options)
    if (isInLine && !ends.has(event.type) && !isSignOfLife(event)) {
      if (text !== undefined) held.push(text)
      return undefined
    }
    const lines = [...held.splice(0), ...(text === undefined ? [] : [text])]
    if (lines.length > 0 || event.type === "approval.requested") breakLine()
    return lines.length === 0 ? undefined : lines.join("\n")
  }
  const sink = yield* lineSink(line, { isPlain: true })
  const printer: AnswerPrinter = {
    listen: (piece) => {
      if (piece === "") return
      follow(piece)
      isInLine = !piece.endsWith("\n")
    },
    sink
  }
  return printer
})

/** Finished blocks, rendered. */
const makeRenderingPrinter = Effect.gen(function* () {
  const { printNow, resultColumns, resultPaint: paint, screen } = yield* Output
  let open = ""
  let isBlank = true
  const print = (block: string): void => {
    const text = markdownText(block, { paint, columns: resultColumns(), isUnicode: screen.isUnicode })
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
  const sink = yield* lineSink(askLine, {
    stop: "stops the answer",
    unfinished: () => open,
    before: ({ type }) => {
      if (ends.has(type)) flush()
    }
  })
  const printer: AnswerPrinter = {
    listen: (piece) => {
      const { finished, rest } = answerBlocks(open + piece)
      open = rest
      finished.forEach(print)
    },
    sink
  }
  return printer
})

/** Text goes to stdout and progress to stderr, which share one screen. Where nothing can be drawn, an open block would not be seen. */
export const makeAnswerPrinter = (isPlain: boolean): Effect.Effect<AnswerPrinter, never, Output> =>
  Output.use(({ screen }) => (isPlain || !screen.canDraw ? makePlainPrinter : makeRenderingPrinter))
