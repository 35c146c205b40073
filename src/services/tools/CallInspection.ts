/**
 * Finds calls that would fail, before anybody is asked about them: what a call declares is made canonical as if it ran,
 * and nothing is changed.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Access, type CanonicalAccess } from "../../domain/tools/Access.ts"
import type { ToolCall, ToolErrorType, ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { Workspace } from "../files/Workspace.ts"
import { runIsolated } from "../plugins/ForeignCode.ts"
import type { LoadedTool } from "../plugins/PluginLoader.ts"
import { type AccessWorld, canonicalAccesses } from "./CallAccess.ts"
import { decodeCall } from "./CallCheck.ts"

/** Failures that other arguments can prevent. */
const avoidable: ReadonlySet<ToolErrorType> = new Set([
  "not_found",
  "validation_failed",
  "io_error",
  "parse_error",
  "output_limit"
])

const isAccesses = Schema.is(Schema.Array(Access))

/** True when a program is missing: the task can say that a check could not be run, but cannot install it. */
const lacksProgram = (declared: unknown, { type }: ToolFailure): boolean => {
  if (type !== "not_found" || !isAccesses(declared)) return false
  const command = declared.find((access) => access._tag === "RunCommand")
  // One word with blanks is a command in a wrong form.
  return command !== undefined && (command.argv.length > 1 || !/\s/.test(command.argv[0].trim()))
}

/** A write to a place where no file can be. */
const checkTarget = Effect.fnUntraced(function* (access: CanonicalAccess, workspace: Workspace["Service"]) {
  if (access._tag !== "WriteFile" || !access.inside || access.base !== undefined) return
  const found = yield* Effect.result(workspace.readText(access.path, 0))
  if (Result.isSuccess(found) || found.failure.type !== "io_error") return
  // A file that cannot be read may still be replaced.
  if (!(yield* workspace.isFile(access.path))) return yield* found.failure
})

/** Why a call would fail, as far as the project shows it without running the call; nothing when it may succeed. */
export const inspectCall = Effect.fnUntraced(function* (
  call: ToolCall,
  tools: ReadonlyMap<string, LoadedTool>,
  world: AccessWorld
): Effect.fn.Return<ToolFailure | undefined> {
  let declared: unknown = []
  const prepare = Effect.gen(function* () {
    const { found, params } = yield* decodeCall(call, tools)
    declared = found.tool.access?.(params) ?? []
    const accesses = yield* canonicalAccesses(found, params, world)
    yield* Effect.forEach(accesses, (access) => checkTarget(access, world.workspace), { discard: true })
  })
  const exit = yield* runIsolated(prepare)
  if (Exit.isSuccess(exit)) return undefined
  const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (failure === undefined || !avoidable.has(failure.type) || lacksProgram(declared, failure)) return undefined
  return failure
})
