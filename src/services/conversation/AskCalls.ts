/**
 * Runs the calls that a model requests in one iteration of a conversation. Each is read, checked and decided about like
 * any other call, and each gets exactly one result.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readAskedCall, type ReadAskedCall } from "../../domain/conversation/AskedCalls.ts"
import { askTask, type ModelCallId, type ToolCallId } from "../../domain/runs/ActivityKey.ts"
import type { ToolMessage } from "../../domain/conversation/Conversation.ts"
import type { AskedCall } from "../../domain/models/ModelAnswer.ts"
import { type Issue, issueText } from "../../domain/findings/Issue.ts"
import { type CallOutcome, type ToolCall, type ToolResult, ToolFailure } from "../../domain/tools/ToolCall.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { forEachCall } from "../tools/TaskCalls.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"

export interface AnsweredCall {
  readonly outcome: CallOutcome
  readonly message: ToolMessage
  /** Why no further call should run: the person has denied the same effect repeatedly. */
  readonly denied?: string
}

type Answer = Pick<AnsweredCall, "denied"> & { readonly result: ToolResult }

const unknownTool: ReadonlySet<string> = new Set(["tool-unknown", "tool-call-name"])

const failureOf = (issues: ReadonlyArray<Issue>): ToolFailure =>
  new ToolFailure({
    type: issues.some(({ code }) => unknownTool.has(code)) ? "not_found" : "validation_failed",
    message: issues.map(issueText).join(" ")
  })

const tooMany = (limit: number, asked: number): ToolFailure =>
  new ToolFailure({
    type: "validation_failed",
    message: `This call was not run: you asked for ${asked} calls at once, and only the first ${limit} run (limits.toolCallsPerIteration). Ask again for what you still need.`
  })

const answer = ({ asked, call }: ReadAskedCall, { result, ...rest }: Answer): AnsweredCall => ({
  ...rest,
  outcome: { call, result },
  message: { role: "tool", id: asked.id, name: asked.name, result }
})

export class AskCalls extends Context.Service<
  AskCalls,
  {
    /**
     * Runs calls in parallel, or one after another when one of them changes something. `record` gets each call as soon
     * as it is answered, so that nothing is lost when the rest is interrupted. `id` is the model call with the
     * requests; `offered` are the tools that it was offered.
     */
    run(
      id: ModelCallId,
      calls: ReadonlyArray<AskedCall>,
      offered: ReadonlySet<string>,
      record: (answered: AnsweredCall) => void
    ): Effect.Effect<ReadonlyArray<AnsweredCall>>
  }
>()("task-conductor/services/conversation/AskCalls") {
  static readonly layer = Layer.effect(
    AskCalls,
    Effect.gen(function* () {
      const events = yield* RunEvents
      const { limits } = yield* RunSettings
      const registry = yield* ToolRegistry
      const runner = yield* ToolRunner
      const meter = yield* UsageMeter

      const check = (read: ReadAskedCall, offered: ReadonlySet<string>): ReadAskedCall => {
        if (read.issues.length > 0) return read
        const { call, issues, repairs } = registry.check(read.call, offered)
        return { ...read, call, issues, repairs: [...read.repairs, ...repairs] }
      }

      const reject = (id: ToolCallId, call: ToolCall, failure: ToolFailure) =>
        Effect.map(runner.reject(id, call, failure), (result): Answer => ({ result }))

      const resultOf = ({ call, issues }: ReadAskedCall, index: number, all: number, round: number) => {
        const id = { round, task: askTask, uid: call.uid }
        if (index >= limits.toolCallsPerIteration) {
          return reject(id, call, tooMany(limits.toolCallsPerIteration, all))
        }
        if (issues.length > 0) return reject(id, call, failureOf(issues))
        return runner.run(id, call).pipe(
          Effect.map((result): Answer => ({ result })),
          Effect.catchTag("TooManyDenials", ({ message, result }) =>
            Effect.succeed<Answer>({ result, denied: message })
          ),
          Effect.tap(() => meter.toolCall)
        )
      }

      const run = Effect.fn("AskCalls.run")(function* (
        id: ModelCallId,
        asked: ReadonlyArray<AskedCall>,
        offered: ReadonlySet<string>,
        record: (answered: AnsweredCall) => void
      ) {
        const calls = asked.map((one, index) => check(readAskedCall(one, `call-${id.attempt}-${index + 1}`), offered))
        const repairs = calls.flatMap((call) => call.repairs)
        if (repairs.length > 0) yield* events.publish({ type: "answer.repaired", call: id, repairs })
        return yield* forEachCall(
          registry,
          calls,
          ({ call, issues }) => (issues.length === 0 ? call.name : undefined),
          (call, index) =>
            resultOf(call, index, calls.length, id.round).pipe(
              Effect.map((result) => answer(call, result)),
              Effect.tap((answered) => Effect.sync(() => record(answered)))
            )
        )
      })

      return AskCalls.of({ run })
    })
  )
}
