/**
 * The order in which the calls of one answer run: side by side, unless one of them may change something; then one after
 * another.
 */
import * as Effect from "effect/Effect"
import type { ToolRegistry } from "./ToolRegistry.ts"

/** Runs each call; `toolOf` names the tool of a call, nothing for one that only gets its refusal. */
export const forEachCall = <C, A, E, R>(
  registry: Pick<ToolRegistry["Service"], "find">,
  calls: ReadonlyArray<C>,
  toolOf: (call: C) => string | undefined,
  run: (call: C, index: number) => Effect.Effect<A, E, R>
): Effect.Effect<Array<A>, E, R> => {
  const mayChange = (call: C): boolean => {
    const tool = toolOf(call)
    return tool !== undefined && registry.find(tool)?.effect !== "pure"
  }
  return Effect.forEach(calls, run, { concurrency: calls.length < 2 || calls.some(mayChange) ? 1 : "unbounded" })
}
