/**
 * Runs the calls of a task, those of read passes as well as those that act, and counts them.
 */
import * as Effect from "effect/Effect"
import { ToolRegistry } from "./ToolRegistry.ts"
import type { CallOutcome, ToolCall } from "../../domain/tools/ToolCall.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"
import { ToolRunner } from "./ToolRunner.ts"

export const makeTaskCalls = Effect.gen(function* () {
  const registry = yield* ToolRegistry
  const runner = yield* ToolRunner
  const meter = yield* UsageMeter
  const run = (task: string, round: number, call: ToolCall) =>
    Effect.tap(runner.run({ round, task, uid: call.uid }, call), () => meter.toolCall)

  /** Fails with what a person denied too often, unless the work goes on without it: then `denied` says so. */
  return Effect.fnUntraced(function* (task: string, round: number, calls: ReadonlyArray<ToolCall>, goesOn = false) {
    let denied: string | undefined
    const outcomes = yield* Effect.forEach(
      calls,
      (call) =>
        run(task, round, call).pipe(
          Effect.catchIf(
            () => goesOn,
            ({ message, result }) => {
              denied ??= message
              return Effect.succeed(result)
            }
          ),
          Effect.map((result): CallOutcome => ({ call, result }))
        ),
      { concurrency: calls.length < 2 || registry.changesSomething(calls.map(({ name }) => name)) ? 1 : "unbounded" }
    )
    return { outcomes, denied }
  })
})
