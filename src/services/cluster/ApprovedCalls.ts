/**
 * Lets an approval cover a call that was shown without its secrets. A question of a shared run is answered by what the
 * database says of it; the worker that carries the call out has it whole, which is another call by its hash.
 */
import { isDeepStrictEqual } from "node:util"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ToolCall } from "../../domain/tools/ToolCall.ts"
import { isForPerson } from "../permissions/ApprovalView.ts"
import type { Gate } from "../permissions/Gate.ts"
import { type GateQuestion, questionOfCall } from "../permissions/GateQuestion.ts"
import type { ToolRegistry } from "../tools/ToolRegistry.ts"
import { asJson, type Redact } from "./WithoutSecrets.ts"

/** What decides about the calls of a task. */
export interface CallJudges {
  readonly gate: Gate["Service"]
  readonly registry: Pick<ToolRegistry["Service"], "prepare">
}

interface Calls {
  readonly task: string
  /** As they were sent and approved, and the same as they are made. */
  readonly sent: ReadonlyArray<ToolCall>
  readonly whole: ReadonlyArray<ToolCall>
}

/** Extends what was answered about the calls as they were sent. A call that is not the same but for secrets is asked about. */
export const coverWhole = Effect.fnUntraced(function* (
  { gate, registry }: CallJudges,
  { sent, task, whole }: Calls,
  redact: Redact
) {
  const { grants } = yield* gate.snapshot
  const codec = Schema.toCodecJson(ToolCall)
  const questionAbout = (call: ToolCall): Effect.Effect<GateQuestion | undefined> =>
    Effect.map(Effect.result(registry.prepare(call)), (prepared) =>
      Result.isSuccess(prepared) ? questionOfCall({ task, place: "" }, prepared.success) : undefined
    )
  const approved: Array<string> = []
  const excluded: Array<string> = []
  for (const call of whole) {
    const shown = sent.find(({ uid }) => uid === call.uid)
    if (shown === undefined) continue
    if (!isDeepStrictEqual(redact(yield* asJson(codec, call)), yield* asJson(codec, shown))) continue
    const asked = yield* questionAbout(shown)
    const made = yield* questionAbout(call)
    if (asked === undefined || made === undefined) continue
    if (grants.excluded.includes(asked.hash)) excluded.push(made.hash)
    else if (grants.approved.includes(asked.hash) && isForPerson(asked) === isForPerson(made)) approved.push(made.hash)
  }
  yield* gate.restore({ grants: { approved, excluded, session: {}, plans: {}, denied: {} }, denials: [] })
})
