/**
 * Runs a call of a task, of its turns as well as of its changes, and counts it. A change in a working copy is not counted: it is when it
 * is made in the project.
 */
import * as Effect from "effect/Effect"
import type { CallOutcome, ToolCall } from "../../domain/tools/ToolCall.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"
import { type CallTarget, isProposal, ToolRunner } from "./ToolRunner.ts"

/** Whose calls are run, and where they write. */
interface CallOwner {
  readonly task: string
  readonly round: number
  readonly target: CallTarget
}

/** Fails with what the user denied too often. */
export const makeTaskCall = Effect.gen(function* () {
  const runner = yield* ToolRunner
  const meter = yield* UsageMeter
  return Effect.fnUntraced(function* ({ round, target, task }: CallOwner, call: ToolCall) {
    const result = yield* runner.run({ round, task, uid: call.uid }, call, target)
    if (!isProposal(call, target)) yield* meter.toolCall
    return { call, result } satisfies CallOutcome
  })
})
