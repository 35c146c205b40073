/**
 * Prints the text of answers as it arrives, on a terminal that shows progress too: a progress line in between starts on
 * a line of its own.
 */
import * as Effect from "effect/Effect"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import type { Paint } from "./Colour.ts"
import { askLine } from "../ask/AskProgress.ts"
import { type EventSink, lineSink } from "./EventSink.ts"
import { Output } from "./Output.ts"

export interface AnswerPrinter {
  /** Takes the text of an answer, piece by piece. */
  readonly listen: (piece: string) => void
  /** The progress of the conversation on stderr. */
  readonly sink: EventSink
}

/** Text goes to stdout and progress to stderr, which share one screen. */
export const makeAnswerPrinter = Effect.gen(function* () {
  const { follow } = yield* Output
  let isInLine = false
  const breakLine = (): void => {
    if (isInLine) follow("\n")
    isInLine = false
  }
  const sink = yield* lineSink((event: RunEvent, paint: Paint) => {
    // The text that comes is the better sign of life.
    if (isInLine && event.type === "model.waiting" && event.phase === "writing") return undefined
    const line = askLine(event, paint)
    if (line !== undefined || event.type === "approval.requested") breakLine()
    return line
  })
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
