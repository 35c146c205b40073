/**
 * Runs the calls of a task, those that look as well as those that act, and counts them.
 */
import * as Effect from "effect/Effect"
import type { CallOutcome, ToolCall } from "../../domain/tools/ToolCall.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"
import { forEachCall } from "./CallOrder.ts"
import { ToolRegistry } from "./ToolRegistry.ts"
import { ToolRunner } from "./ToolRunner.ts"

export const makeTaskCalls = Effect.gen(function* () {
  const registry = yield* ToolRegistry
  const runner = yield* ToolRunner
  const meter = yield* UsageMeter
  return (task: string, round: number, calls: ReadonlyArray<ToolCall>) =>
    forEachCall(
      registry,
      calls,
      ({ name }) => name,
      (call) =>
        runner.run({ round, task, uid: call.uid }, call).pipe(
          Effect.tap(() => meter.toolCall),
          Effect.map((result): CallOutcome => ({ call, result }))
        )
    )
})
