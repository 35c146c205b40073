/**
 * Says how to resume a run that a person stops with Ctrl-C, once it has begun.
 */
import * as Effect from "effect/Effect"
import { Output } from "./Output.ts"
import type { CommandPorts } from "./ports.ts"

/** The line that says how to resume a run. */
export const resumeLine = (runId: string): string => `Resume it: task-conductor resume ${runId}`

/** Ports that notice when a run begins, and what says how to resume it when it is stopped after that. */
export const makeResumable = (ports: CommandPorts) => {
  let begun: string | undefined
  const { abort, listen } = ports.sink
  const noticing: CommandPorts = {
    ...ports,
    sink: {
      abort,
      listen: (recorded) => {
        const { event } = recorded
        if (event.type === "run.started") begun = event.runId
        return listen(recorded)
      }
    }
  }
  const tell = Effect.suspend(() =>
    begun === undefined || ports.isJson === true
      ? Effect.void
      : Output.use((output) => output.tell(resumeLine(begun ?? "")))
  )
  return {
    ports: noticing,
    tellWhenStopped: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.onInterrupt(work, () => tell)
  }
}
