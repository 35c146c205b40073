/**
 * Limits for the time and output of a call, each with the setting that raises it. The time that a call waits for
 * approvals does not count.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { commandSeconds } from "../../domain/commands/CommandSettings.ts"
import type { Limits } from "../../domain/configuration/Limits.ts"
import type { ToolCallId } from "../../domain/runs/ActivityKey.ts"
import { heartbeatEvery } from "../../domain/runs/RunEvent.ts"
import { dataText, type PreparedCall, ToolFailure } from "../../domain/tools/ToolCall.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import type { CallTime } from "./CallTime.ts"
import type { Wait } from "./ForeignCode.ts"
import { type CallOutput, isOutput } from "./KeepOutput.ts"
import { guardTool } from "./ToolGuard.ts"

export type CallLimits = Pick<Limits, "toolFileBytes" | "toolOutputBytes" | "toolSeconds" | "tools">

/** A limit and the setting that raises it. */
interface CallLimit {
  readonly value: number
  readonly name: string
}

/**
 * The time limit of a call that runs a command, in seconds. The command itself has a shorter limit, so that its output
 * can still be shown.
 */
const lastForCommands = commandSeconds.most + 60

export const sizeOf = (data: Schema.Json): number => Buffer.byteLength(dataText(data))

/** The time limit for a tool call that runs no command. */
export const secondsOfTool = (limits: CallLimits, name: string): CallLimit => {
  const toolSeconds = limits.tools?.[name]?.seconds
  return toolSeconds === undefined
    ? { value: limits.toolSeconds, name: "limits.toolSeconds" }
    : { value: toolSeconds, name: `limits.tools.${name}.seconds` }
}

const secondsOf = (limits: CallLimits, { accesses, info: { name } }: PreparedCall): CallLimit => {
  const isCommand = accesses.some((access) => access._tag === "RunCommand")
  const hasOwn = limits.tools?.[name]?.seconds !== undefined
  return isCommand && !hasOwn ? { value: lastForCommands, name: "limits.commandSeconds" } : secondsOfTool(limits, name)
}

/** Returns the output of a tool, or a failure if its text is too large. */
const withinOutput = (limits: CallLimits, tool: string, output: CallOutput): Result.Result<CallOutput, ToolFailure> => {
  const size = isOutput(output) ? sizeOf(`${output.text}`) : sizeOf(output)
  const own = limits.tools?.[tool]?.outputBytes
  const value = own ?? limits.toolOutputBytes
  const name = own === undefined ? "limits.toolOutputBytes" : `limits.tools.${tool}.outputBytes`
  if (size <= value) return Result.succeed(output)
  const message = `The output of ${tool} has ${size} bytes, ${value} are allowed (${name}); all of it was left out. Ask for less: a narrower path, range or pattern.`
  return Result.fail(new ToolFailure({ type: "output_limit", message }))
}

/** The code of a call, its clock, and the effect that emits its progress. */
interface LimitedWork {
  readonly code: Effect.Effect<CallOutput, ToolFailure>
  readonly time: CallTime
  readonly publishing: Effect.Effect<never>
}

/** Runs the code of a tool within its limits. Reports regularly that it is still running. */
export const makeLimitedRun = (limits: CallLimits) =>
  Effect.map(RunEvents, (events) => (id: ToolCallId, call: PreparedCall, work: LimitedWork) => {
    const { name } = call.info
    const most = secondsOf(limits, call)
    // The event of a command names no end, because the command has a time limit of its own.
    const ends = most.value === lastForCommands ? {} : { endsAtSeconds: most.value }
    let seconds = 0
    const report = Effect.suspend(() => {
      if (work.time.isPaused()) return Effect.void
      seconds += heartbeatEvery / 1000
      return events.publish({ type: "tool.running", id, name, seconds, ...ends })
    })
    const heartbeat = Effect.forever(Effect.andThen(Effect.sleep(Duration.millis(heartbeatEvery)), report))
    const message = `The tool ${name} was stopped after ${most.value} s (${most.name}). Ask for less work in one call.`
    const late = Effect.andThen(
      work.time.reached(Duration.seconds(most.value)),
      Effect.suspend(() => Effect.fail(new ToolFailure({ type: "timeout", message })))
    )
    const wait: Wait<CallOutput, ToolFailure, ToolFailure, never> = (ended) =>
      Effect.raceAllFirst([ended, late, heartbeat, work.publishing])
    return Effect.map(
      guardTool(call.info, work.code, wait),
      Result.flatMap((data) => withinOutput(limits, name, data))
    )
  })
