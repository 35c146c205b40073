/**
 * Runs the code of a tool so that its call has exactly one result. An error becomes a failure that names the tool and
 * its author. If a plugin's code does not end, the program goes on without it.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { builtInOrigin, ToolErrorType, ToolFailure } from "../../domain/tools/ToolCall.ts"
import { causeText, runIsolated, type Wait } from "./ForeignCode.ts"

/** The tool that a message is about. If the tool is at fault, the message also names its author. */
interface NamedTool {
  readonly name: string
  /** The author of the tool. Absent for a tool that does not exist. */
  readonly origin: string | undefined
}

const isForeign = ({ origin = builtInOrigin }: NamedTool): boolean => origin !== builtInOrigin

const titleOf = (tool: NamedTool): string =>
  isForeign(tool) ? `The tool ${tool.name} of ${tool.origin}` : `The tool ${tool.name}`

const isErrorType = Schema.is(ToolErrorType)

/**
 * The failure of a tool, if it has the form of a `ToolFailure`. A plugin may fail with its own copy of the class, so
 * the tag decides.
 */
const knownFailure = (failure: unknown): ToolFailure | undefined => {
  if (!Predicate.isTagged(failure, "ToolFailure") || !Predicate.hasProperty(failure, "type")) return undefined
  if (!Predicate.hasProperty(failure, "message") || typeof failure.message !== "string") return undefined
  if (!isErrorType(failure.type)) return undefined
  return failure instanceof ToolFailure ? failure : new ToolFailure({ type: failure.type, message: failure.message })
}

/**
 * Reads a failure of a tool. Undefined if it is no failure of this program's form, or if code of the plugin throws
 * during the reading.
 */
const readFailure = (failure: unknown): ToolFailure | undefined => {
  try {
    return knownFailure(failure)
  } catch {
    return undefined
  }
}

/** The failure of a tool that was stopped but did not end. */
const endless = ({ message, type }: ToolFailure): ToolFailure =>
  new ToolFailure({
    type,
    message: `${message} It does not end: what it waits for goes on in the background. This is a fault of the tool.`
  })

/** Runs the code of a tool. Any error becomes a failure of the tool. */
export const guardTool = <A>(
  tool: NamedTool,
  effect: Effect.Effect<A, ToolFailure>,
  wait?: Wait<A, ToolFailure, ToolFailure, never>
): Effect.Effect<Result.Result<A, ToolFailure>> => {
  const run = runIsolated(effect, wait, isForeign(tool) ? { endless } : undefined)
  return Effect.matchEager(run, {
    onFailure: Result.fail,
    onSuccess: (exit) => {
      if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
      const failure = Cause.findErrorOption<unknown>(exit.cause)
      /** A function that is not async throws its error as a defect. An async function rejects with its error. */
      const known = readFailure(Option.getOrElse(failure, () => Cause.squash(exit.cause)))
      if (known !== undefined) return Result.fail(known)
      const how = Option.isSome(failure) ? "failed" : "crashed"
      const message = `${titleOf(tool)} ${how}: ${causeText(exit.cause)}`
      return Result.fail(new ToolFailure({ type: "internal_error", message }))
    }
  })
}
