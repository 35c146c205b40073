import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import { type PreparedCall, type ToolCall, ToolFailure } from "../../../src/domain/tools/ToolCall.ts"
import { makeValueRedaction } from "../../../src/domain/text/Redaction.ts"
import { coverWhole } from "../../../src/plugins/cluster/WithoutSecrets.ts"
import { type AnswerSnapshot, type RunAnswers } from "../../../src/services/permissions/RunAnswers.ts"
import { questionOfCall } from "../../../src/services/permissions/GateQuestion.ts"

const redact = makeValueRedaction(["the-s3cret-value"])

const info = {
  name: "write_file",
  description: "",
  origin: "built-in",
  definition: "",
  risk: "high",
  effect: "idempotent"
} as unknown as PreparedCall["info"]

const writing = (uid: string, path: string, content: string): ToolCall => ({
  uid,
  name: "write_file",
  arguments: { path, content }
})

/** A write of what its arguments say; a call without content cannot be made. */
const prepared = (call: ToolCall): PreparedCall => {
  const { content, path } = call.arguments as { readonly content: string; readonly path: string }
  const access: CanonicalAccess = { _tag: "WriteFile", path, content, inside: true }
  return { call, info, risk: "high", accesses: [access] } as unknown as PreparedCall
}

const hashOf = (call: ToolCall): string => questionOfCall({ task: "Write 1", place: "" }, prepared(call)).hash

const prepare = (call: ToolCall) =>
  call.arguments["content"] === ""
    ? Effect.fail(new ToolFailure({ type: "not_found", message: "no" }))
    : Effect.succeed(prepared(call))

interface Given {
  readonly sent: ToolCall
  readonly whole: ToolCall
  readonly answer: "approved" | "excluded" | "none"
}

/** What the gate learns beyond what it knew. */
const covered = Effect.fnUntraced(function* ({ answer, sent, whole }: Given) {
  const none = { approved: [], excluded: [], session: {}, plans: {}, denied: {} }
  const known = answer === "none" ? {} : { [answer]: [hashOf(sent)] }
  const reported: Array<AnswerSnapshot> = []
  const answers = {
    snapshot: Effect.succeed({ grants: { ...none, ...known }, denials: [] }),
    restore: (more: AnswerSnapshot) => Effect.sync(() => void reported.push(more))
  } as unknown as RunAnswers["Service"]
  yield* coverWhole({ answers, registry: { prepare } }, "Write 1", [sent], [whole], redact)
  return reported.flatMap(({ grants: { approved, excluded } }) =>
    approved.concat(excluded.map((hash) => `not ${hash}`))
  )
})

const shown = writing("call-1", "a.txt", "TOKEN=[redacted]")
const made = writing("call-1", "a.txt", "TOKEN=the-s3cret-value")

describe("an approval of a call that was shown without its secrets", () => {
  const rows: ReadonlyArray<[what: string, whole: ToolCall, answer: Given["answer"], learned: ReadonlyArray<string>]> =
    [
      ["the whole call", made, "approved", [hashOf(made)]],
      ["the refusal of the whole call", made, "excluded", [`not ${hashOf(made)}`]],
      ["nothing when nobody answered", made, "none", []],
      ["no call with another path", writing("call-1", "b.txt", "TOKEN=the-s3cret-value"), "approved", []],
      ["no call with more around the secret", writing("call-1", "a.txt", "TOKEN=the-s3cret-value\nrm"), "approved", []],
      ["no call with less around the secret", writing("call-1", "a.txt", "the-s3cret-value"), "approved", []],
      ["no call with something that is no secret", writing("call-1", "a.txt", "TOKEN=word"), "approved", []],
      ["no call at another place", writing("call-2", "a.txt", "TOKEN=the-s3cret-value"), "approved", []],
      ["no call that cannot be made", writing("call-1", "a.txt", ""), "approved", []]
    ]
  for (const [what, whole, answer, learned] of rows) {
    it.effect(`covers ${what}`, () =>
      Effect.map(covered({ sent: shown, whole, answer }), (found) => assert.deepStrictEqual<unknown>(found, learned))
    )
  }
})
