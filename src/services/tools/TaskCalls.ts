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

export const makeTaskCalls = Effect.gen(function* () {
  const registry = yield* ToolRegistry
  const runner = yield* ToolRunner
  const meter = yield* UsageMeter
  /* A change in a working copy counts when it is made in the project. */
  const counted = ({ name }: ToolCall) =>
    Effect.flatMap(CurrentCopy, (copy) => (copy !== undefined && fileTools.has(name) ? Effect.void : meter.toolCall))
  const run = (task: string, round: number, call: ToolCall) =>
    Effect.tap(runner.run({ round, task, uid: call.uid }, call), () => counted(call))

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
