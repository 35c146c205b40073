/**
 * Runs the calls of a task, those of its turns as well as those that make its changes, and counts them. A change in a working
 * copy is not counted: it is when it is made in the project.
 */
import * as Effect from "effect/Effect"
import { ToolRegistry } from "./ToolRegistry.ts"
import { type CallOutcome, fileTools, type ToolCall } from "../../domain/tools/ToolCall.ts"
import { CurrentCopy } from "../files/WorkingCopy.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"
import { ToolRunner } from "./ToolRunner.ts"

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

export const makeTaskCalls = Effect.gen(function* () {
  const registry = yield* ToolRegistry
  const runner = yield* ToolRunner
  const meter = yield* UsageMeter
  const counted = ({ name }: ToolCall) =>
    Effect.flatMap(CurrentCopy, (copy) => (copy !== undefined && fileTools.has(name) ? Effect.void : meter.toolCall))
  return (task: string, round: number, calls: ReadonlyArray<ToolCall>) =>
    forEachCall(
      registry,
      calls,
      ({ name }) => name,
      (call) =>
        runner.run({ round, task, uid: call.uid }, call).pipe(
          Effect.tap(() => counted(call)),
          Effect.map((result): CallOutcome => ({ call, result }))
        )
    )
})
