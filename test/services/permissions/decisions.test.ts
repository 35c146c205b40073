/**
 * Decisions of the gate that no wording shows: by what a call is allowed, what is kept of a no, which rules a removal needs.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Approver, denyAll } from "../../../src/services/approvals/Approver.ts"
import { questionOfCall, toolsWithEffect } from "../../../src/services/permissions/GateQuestion.ts"
import { allow, inTask, openGate, prepared, reading, writing } from "../../support/OpenGate.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"

it("takes rules for removals only for what removes a file", () => {
  const write = { _tag: "WriteFile", path: "a.md", inside: true, content: "" } as const
  assert.deepStrictEqual(toolsWithEffect(write), ["write_file", "edit_file", "read_file"])
  assert.deepStrictEqual(toolsWithEffect({ ...write, removes: true }), [
    "write_file",
    "edit_file",
    "read_file",
    "remove_file"
  ])
})

layer(NodeServices.layer)("Gate.decide", (it) => {
  it.effect("says by what a call is allowed: a rule before an answer, an answer before its risk", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ calls: ["once", "once", "once"] })
      const { gate, root } = yield* openGate({
        approver: approver.layer,
        options: (folder) => ({
          rules: [{ ...allow("write_file", `${folder}/README.md`), source: "a flag", scope: "given" }]
        })
      })
      const byOf = Effect.fnUntraced(function* (call: ReturnType<typeof writing>) {
        const question = questionOfCall(inTask("Edit 1"), call)
        const before = yield* gate.decide(question)
        yield* gate.authorize(question)
        const after = yield* gate.decide(question)
        return [before, after].map((decision) => (decision._tag === "Allow" ? decision.by : decision._tag))
      })
      assert.deepStrictEqual(yield* byOf(writing(`${root}/README.md`, "new\n")), ["rules", "rules"])
      assert.deepStrictEqual(yield* byOf(prepared("get_current_time", "safe")), ["risk", "risk"])
    })
  )
})

layer(NodeServices.layer)("a no to a call", (it) => {
  it.effect("keeps what the person wants instead, and whether the call only reads", () =>
    Effect.gen(function* () {
      const declining = Layer.succeed(Approver)({
        ...denyAll,
        call: () => Effect.succeed({ answer: "deny", by: "person", instead: "Wait." })
      })
      const { answers, gate, root } = yield* openGate({ approver: declining })
      for (const call of [reading(`${root}/../outside.md`, false), writing(`${root}/README.md`, "new\n")]) {
        yield* Effect.flip(gate.authorize(questionOfCall(inTask("Edit 1"), call)))
      }
      assert.deepStrictEqual(
        (yield* answers.requestedChanges).map(({ instead, isRead }) => [instead, isRead]),
        [
          ["Wait.", true],
          ["Wait.", undefined]
        ]
      )
    })
  )
})
