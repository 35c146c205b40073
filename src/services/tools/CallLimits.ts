/**
 * The limits of one tool call: how long it runs and how much it returns. While it runs, signs of life say so. An error
 * names the limit, so that a person can raise it.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import { commandSeconds } from "../../domain/commands/CommandSettings.ts"
import { defaultLimits, type Limits } from "../../domain/configuration/Limits.ts"
import type { ToolCallId } from "../../domain/runs/ActivityKey.ts"
import { lifeEvery } from "../../domain/runs/RunEvent.ts"
import type { PreparedCall } from "../../domain/tools/PreparedCall.ts"
import { dataText, ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { RunEvents } from "../runs/RunEvents.ts"

/** The limits of tool calls; waiting for an approval does not count. The defaults hold when they are absent. */
export type CallLimits = Pick<Limits, "toolSeconds" | "toolOutputBytes" | "tools">

/** A limit with the setting that raises it. */
interface Limit {
  readonly value: number
  readonly name: string
}

/** Commands have a shorter limit of their own, which stops the processes and shows what they wrote. */
const lastForCommands = commandSeconds.most + 60

export const sizeOf = (data: Schema.Json): number => Buffer.byteLength(dataText(data))

const timeOf = (limits: CallLimits, { accesses, info: { name } }: PreparedCall): Limit => {
  const own = limits.tools?.[name]?.seconds
  if (own !== undefined) return { value: own, name: `limits.tools.${name}.seconds` }
  return accesses.some((access) => access._tag === "RunCommand")
    ? { value: lastForCommands, name: "limits.commandSeconds" }
    : { value: limits.toolSeconds, name: "limits.toolSeconds" }
}

const outputOf = (limits: CallLimits, { info: { name } }: PreparedCall): Limit => {
  const own = limits.tools?.[name]?.outputBytes
  return own === undefined
    ? { value: limits.toolOutputBytes, name: "limits.toolOutputBytes" }
    : { value: own, name: `limits.tools.${name}.outputBytes` }
}

/** Makes what holds the calls of a run within these limits. */
export const makeCallLimits = (events: RunEvents["Service"], limits: CallLimits = defaultLimits) => {
  const signsOf = (id: ToolCallId, prepared: PreparedCall, { value }: Limit) => {
    const every = lifeEvery / 1000
    // The command itself decides when it ends, by its call or its declaration.
    const ends = value === lastForCommands ? {} : { endsAtSeconds: value }
    const tell = (seconds: number): Effect.Effect<never> =>
      Effect.sleep(Duration.millis(lifeEvery)).pipe(
        Effect.andThen(events.publish({ type: "tool.running", id, name: prepared.info.name, seconds, ...ends })),
        Effect.andThen(Effect.suspend(() => tell(seconds + every)))
      )
    return tell(every)
  }

  return {
    /** Waits for a call that did not end at once, and no longer than it may take. */
    wait:
      (id: ToolCallId, prepared: PreparedCall) =>
      <A>(ended: Effect.Effect<Exit.Exit<A, ToolFailure>>) => {
        const time = timeOf(limits, prepared)
        return Effect.raceFirst(ended, signsOf(id, prepared, time)).pipe(
          Effect.timeoutOrElse({
            duration: Duration.seconds(time.value),
            orElse: () => {
              const message = `The tool ${prepared.info.name} was stopped after ${time.value} s (${time.name}). Ask for less work in one call.`
              return Effect.fail(new ToolFailure({ type: "timeout", message }))
            }
          })
        )
      },
    /** Why the output of a call is left out, if it is too large. */
    excess: (prepared: PreparedCall, data: Schema.Json): ToolFailure | undefined => {
      const size = sizeOf(data)
      const output = outputOf(limits, prepared)
      if (size <= output.value) return undefined
      const message = `The output of ${prepared.info.name} has ${size} bytes, ${output.value} are allowed (${output.name}); all of it was left out. Ask for less: a narrower path, range or pattern.`
      return new ToolFailure({ type: "output_limit", message })
    }
  }
}
