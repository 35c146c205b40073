/**
 * Runs the calls of a task, those of its turns as well as those that make its changes, and counts them. A change in a working
 * copy is not counted: it is when it is made in the project.
 */
import * as Effect from "effect/Effect"
import { ToolRegistry } from "./ToolRegistry.ts"
import type { CallOutcome, ToolCall } from "../../domain/tools/ToolCall.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"
import { type CallTarget, isProposal, ToolRunner } from "./ToolRunner.ts"

/** Whose calls are run, and where they write. */
export interface CallOwner {
  readonly task: string
  readonly round: number
  readonly target: CallTarget
}

export const makeTaskCalls = Effect.gen(function* () {
  const registry = yield* ToolRegistry
  const runner = yield* ToolRunner
  const meter = yield* UsageMeter
  const run = ({ round, target, task }: CallOwner, call: ToolCall) =>
    Effect.tap(runner.run({ round, task, uid: call.uid }, call, target), () =>
      isProposal(call, target) ? Effect.void : meter.toolCall
    )

  /** Fails with what a person denied too often, unless the work goes on without it: then `denied` says so. */
  return Effect.fnUntraced(function* (owner: CallOwner, calls: ReadonlyArray<ToolCall>, goesOn = false) {
    let denied: string | undefined
    const outcomes = yield* Effect.forEach(
      calls,
      (call) =>
        run(owner, call).pipe(
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
