/**
 * Progress for a person on stderr: lines that stay, and on a terminal below them what is going on now. While a question waits
 * for its answer nothing is drawn and no line is written.
 */
import * as Effect from "effect/Effect"
import { type LiveState, emptyLive, foldLive, isLively } from "../../domain/runs/LiveState.ts"
import { liveView } from "../../domain/runs/LiveView.ts"
import { marksAt } from "../../domain/runs/LiveWords.ts"
import { type RecordedEvent, type RunEvent, isFleeting, isSignOfLife } from "../../domain/runs/RunEvent.ts"
import { type Paint, paintLine } from "./Colour.ts"
import type { EventSink } from "./EventSink.ts"
import { Output, redactEvent, redactText } from "./Output.ts"
import { progressLine, type ProgressOptions } from "./Progress.ts"

/** Makes the line for an event. */
export type LineOf = (event: RunEvent, paint: Paint, options: ProgressOptions) => string | undefined

export interface LineSinkOptions {
  readonly isVerbose?: boolean
  /** Lines only, as they would be written to a file. */
  readonly isPlain?: boolean
  /** What Ctrl-C does. */
  readonly stop?: string
  /** Text of an answer that is not printed yet. */
  readonly unfinished?: () => string
  /** Is called before the event is shown. */
  readonly before?: (event: RunEvent) => void
}

/** Serializes lines: while a question waits for its answer, all other lines wait too, so that it stays visible. */
const makeLineOrder = () => {
  const waiting: Array<string> = []
  return (event: RunEvent, isAsked: boolean, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
    if (event.type === "approval.requested") return lines
    if (isAsked) {
      waiting.push(...lines)
      return []
    }
    const late = waiting.splice(0)
    return event.type === "approval.answered" ? [...lines, ...late] : [...late, ...lines]
  }
}

/** A sign of life is of no use so soon after another line, in milliseconds. */
const soon = 5000

/** Says which signs of life are shown: only where there would be silence. */
const makeLifeFilter = () => {
  let shownAt = -Infinity
  return {
    hides: ({ at, event }: RecordedEvent): boolean => isSignOfLife(event) && Date.parse(at) - shownAt < soon,
    shown: ({ at }: RecordedEvent): void => {
      shownAt = Date.parse(at)
    }
  }
}

/** Draws what goes on as long as there is something. */
const makeDrawing = (
  { screen, tellPaint }: Output["Service"],
  { stop = "stops", unfinished = () => "" }: LineSinkOptions,
  current: () => LiveState
) => {
  const draw = (size: { readonly columns: number; readonly rows: number }, now: number): ReadonlyArray<string> => {
    const state = current()
    const text = redactText(unfinished() || state.answer)
    const options = { size, now, marks: marksAt(now, screen.isUnicode), stop, unfinished: text }
    return liveView(state, options).map((line) => paintLine(line, tellPaint))
  }
  return (): void => (isLively(current()) ? screen.show(draw) : screen.hide())
}

/** Lines for a person, as `line` formats them. */
export const lineSink = Effect.fnUntraced(function* (line: LineOf, options: LineSinkOptions = {}) {
  const output = yield* Output
  const { before, isPlain = false, isVerbose = false } = options
  const isDrawn = output.screen.canDraw && !isPlain
  const order = makeLineOrder()
  const life = makeLifeFilter()
  const seen = new Map()
  let state = emptyLive
  const update = isDrawn ? makeDrawing(output, options, () => state) : () => undefined

  const lineFor = (recorded: RecordedEvent, live: LiveState): string | undefined => {
    const { event } = recorded
    if (isFleeting(event)) return undefined
    if (isSignOfLife(event) && (isDrawn || live.questions.size > 0 || life.hides(recorded))) return undefined
    const text = line(event, output.tellPaint, { isVerbose, isDrawn, live, seen })
    if (text !== undefined) life.shown(recorded)
    return text
  }

  const sink: EventSink = {
    listen: (given) =>
      Effect.suspend(() => {
        const recorded = { ...given, event: redactEvent(given.event) }
        before?.(recorded.event)
        const earlier = state
        state = foldLive(state, recorded)
        /* What a call was about is only known while it goes on. */
        const text = lineFor(recorded, recorded.event.type === "tool.finished" ? earlier : state)
        const isAsked = state.questions.size > 0
        const lines = order(recorded.event, isAsked, text === undefined ? [] : [redactText(text)])
        update()
        return Effect.forEach(lines, output.tell, { discard: true })
      }),
    abort: () => Effect.sync(output.screen.hide),
    personMs: () => state.personMs,
    project: () => state.project
  }
  return sink
})

/** Only errors, for a person who wants the answer alone. */
export const quietSink: Effect.Effect<EventSink, never, Output> = lineSink(
  (event, paint) => (event.type === "message" && event.level === "error" ? progressLine(event, paint) : undefined),
  { isPlain: true }
)

/** The progress of a run; on request with everything that the model is told about its answers. */
export const progressSink = (
  isVerbose: boolean,
  options: LineSinkOptions = {}
): Effect.Effect<EventSink, never, Output> => lineSink(progressLine, { ...options, isVerbose })
