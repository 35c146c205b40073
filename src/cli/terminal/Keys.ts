/**
 * Reads the keys that the user presses during a run. Otherwise the terminal would echo them into the screen, and the
 * shell would get them later. During a question, only the question reads keys.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Terminal from "effect/Terminal"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import type { EventSink } from "./EventSink.ts"
import { Output } from "./Output.ts"

/** How long the terminal needs to change from reading keys to reading lines. */
export const rawModeEnds = "30 millis"

const isControl = (letter: string) => (one: Terminal.UserInput) => one.key.ctrl && one.key.name === letter

/** Stops the process group like Ctrl-Z, until the user continues it. */
export const suspend = Effect.andThen(
  Effect.sleep(rawModeEnds),
  Effect.sync(() => process.kill(0, "SIGTSTP"))
)

interface KeyOptions {
  /** The event that begins the work. */
  readonly begin: "run.started" | "ask.started"
  readonly take?: (keys: ReadonlyArray<Terminal.UserInput>) => void
}

export interface KeyTaker {
  /** Passes events on to the caller's sink. During the work it also reads keys, except in questions. */
  readonly sink: EventSink
  /** Stops reading keys. Call it after another reader has begun, so that no key is lost. */
  readonly handOver: Effect.Effect<void>
}

/** Reads keys during the work, if the screen can redraw. */
export const takingKeys = Effect.fnUntraced(function* (
  sink: EventSink,
  { begin, take = () => undefined }: KeyOptions
): Effect.fn.Return<KeyTaker, never, Output | Scope.Scope | Terminal.Terminal> {
  const { canAsk, screen } = yield* Output
  if (!screen.canDraw || !canAsk) return { sink, handOver: Effect.void }
  const terminal = yield* Terminal.Terminal
  const scope = yield* Effect.scope
  let taking: Fiber.Fiber<unknown> | undefined
  let keys: Effect.Success<typeof terminal.readInput> | undefined
  let isWorking = false

  /** Reads keys until the user suspends the program. Ctrl-C still interrupts it. */
  const takeKeys = Effect.gen(function* () {
    const pressed = (keys = yield* terminal.readInput)
    for (;;) {
      const batch = yield* Queue.takeAll(pressed)
      if (batch.some(isControl("c"))) process.kill(process.pid, "SIGINT")
      take(batch)
      if (batch.some(isControl("z"))) return suspend
    }
  }).pipe(
    Effect.scoped,
    Effect.catchTag("Done", () => Effect.succeed(Effect.sleep(rawModeEnds)))
  )
  const stop = Effect.suspend(() => {
    const fiber = taking
    taking = undefined
    keys = undefined
    return fiber === undefined ? Effect.void : Fiber.interrupt(fiber)
  })
  const start = Effect.suspend(() =>
    taking === undefined
      ? Effect.map(Effect.forkIn(Effect.forever(Effect.flatten(takeKeys)), scope), (fiber) => void (taking = fiber))
      : Effect.void
  )
  const changeAt = (type: RunEvent["type"]): Effect.Effect<void> => {
    if (type === begin) isWorking = true
    if (type === "run.finished") isWorking = false
    if (!isWorking || type === "approval.requested") {
      return taking === undefined ? Effect.void : Effect.andThen(stop, Effect.sleep(rawModeEnds))
    }
    return type === begin || type === "approval.answered" ? start : Effect.void
  }
  const listen: EventSink["listen"] = (recorded) =>
    Effect.andThen(
      Effect.suspend(() => changeAt(recorded.event.type)),
      sink.listen(recorded)
    )
  const handOver = Effect.gen(function* () {
    if (keys !== undefined) take(yield* Effect.orElseSucceed(Queue.clear(keys), () => []))
    yield* stop
  })
  return { sink: { ...sink, listen }, handOver }
})
