/**
 * Takes the keys that a person presses while something works, so that the terminal echoes none of them into what is drawn and
 * the shell gets none afterwards. A question has the terminal to itself.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Terminal from "effect/Terminal"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import type { EventSink } from "./EventSink.ts"
import { Output } from "./Output.ts"

/** The terminal goes back from single keys to lines within this time. */
export const rawModeEnds = "30 millis"

const begins: ReadonlySet<RunEvent["type"]> = new Set(["run.started", "ask.started", "approval.answered"])
const ends: ReadonlySet<RunEvent["type"]> = new Set(["run.finished", "ask.finished", "approval.requested"])

const isControl = (letter: string) => (one: Terminal.UserInput) => one.key.ctrl && one.key.name === letter

/** Stops the process group as the terminal would, until the person brings it back. */
export const suspend = Effect.andThen(
  Effect.sleep(rawModeEnds),
  Effect.sync(() => process.kill(0, "SIGTSTP"))
)

interface KeyOptions {
  /** What an event begins that is not the work of a message or a run: nothing is taken then. */
  readonly waitsFor?: "ask.started"
  readonly take?: (keys: ReadonlyArray<Terminal.UserInput>) => void
}

/** The sink, which takes keys between the events that begin and end work, where the region can be drawn. */
export const takingKeys = Effect.fnUntraced(function* (
  sink: EventSink,
  { take = () => undefined, waitsFor }: KeyOptions = {}
) {
  const { canAsk, screen } = yield* Output
  if (!screen.canDraw || !canAsk) return sink
  const terminal = yield* Terminal.Terminal
  const scope = yield* Effect.scope
  let taking: Fiber.Fiber<unknown> | undefined

  /** Takes keys until the person wants the shell back for a while; Ctrl-C does what the terminal would do with it. */
  const takeKeys = Effect.gen(function* () {
    const keys = yield* terminal.readInput
    for (;;) {
      const batch = yield* Queue.takeAll(keys)
      if (batch.some(isControl("c"))) process.kill(process.pid, "SIGINT")
      take(batch)
      if (batch.some(isControl("z"))) return yield* Effect.succeed("suspend" as const)
    }
  }).pipe(
    Effect.scoped,
    Effect.catchTag("Done", () => Effect.succeed("again" as const))
  )
  const takeAll = Effect.forever(
    Effect.flatMap(takeKeys, (what) => (what === "suspend" ? suspend : Effect.sleep(rawModeEnds)))
  )
  const stop = Effect.suspend(() => {
    const fiber = taking
    taking = undefined
    return fiber === undefined ? Effect.void : Effect.andThen(Fiber.interrupt(fiber), Effect.sleep(rawModeEnds))
  })
  const start = Effect.suspend(() =>
    taking === undefined ? Effect.map(Effect.forkIn(takeAll, scope), (fiber) => void (taking = fiber)) : Effect.void
  )
  let isWorking = false
  const listen: EventSink["listen"] = (recorded) => {
    const { type } = recorded.event
    if (type === (waitsFor ?? "run.started")) isWorking = true
    if (type === "ask.finished" || type === "run.finished") isWorking = false
    const before = ends.has(type) ? stop : begins.has(type) && isWorking ? start : Effect.void
    return Effect.andThen(before, sink.listen(recorded))
  }
  return { ...sink, listen } satisfies EventSink
})
