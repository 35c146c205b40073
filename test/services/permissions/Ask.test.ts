import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CallAnswer } from "../../../src/domain/permissions/Answer.ts"
import type { Rule } from "../../../src/domain/permissions/Permission.ts"
import { textHash } from "../../../src/services/files/Hash.ts"
import { answerEvent } from "../../../src/services/permissions/Ask.ts"
import { mayShow } from "../../../src/services/permissions/Gate.ts"
import { questionOfCall, questionOfReading } from "../../../src/services/permissions/GateQuestion.ts"
import { allow, inTask, openGate, prepared, writing } from "../../support/OpenGate.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { nodeTest } from "../../support/nodeTest.ts"

it("reports with a no what is wanted instead, and with a yes the rules that were chosen", () => {
  const given = { by: "person", instead: "Wait.", always: ["read_file"] } as const
  const event = (answer: Parameters<typeof answerEvent>[2]["answer"]) => answerEvent("step", "h", { ...given, answer })
  const parts = (["decline", "deny", "step", "remember", "once", "session"] as const).map((answer) => {
    const { always, instead } = event(answer)
    return [answer, instead, always]
  })
  assert.deepStrictEqual(parts, [
    ...["decline", "deny"].map((answer) => [answer, "Wait.", undefined]),
    ...["step", "remember"].map((answer) => [answer, undefined, ["read_file"]]),
    ...["once", "session"].map((answer) => [answer, undefined, undefined])
  ])
  assert.notProperty(answerEvent("step", "h", { answer: "step", by: "person", always: [] }), "always")
  const chosen = event({ chosen: [2] })
  assert.deepStrictEqual([chosen.answer, chosen.chosen], ["chosen", [2]])
})

describe("a yes with what repairs it", () => {
  for (const askFirst of [true, false]) {
    nodeTest(`covers later changes by its task only where checks follow: ${askFirst}`, function* () {
      const approver = scriptedApprover({ calls: ["repairs", "deny", "deny"] })
      const { authorize, root } = yield* openGate({ approver: approver.layer, options: () => ({ askFirst }) })
      const path = `${root}/new.md`
      const change = (task: string, content: string, found: string) => {
        const call = prepared("write_file", "high", [{ _tag: "WriteFile", path, inside: true, content, found }])
        return Effect.map(Effect.result(authorize(call, task)), Result.isSuccess)
      }
      const made = [
        yield* change("Edit 1", "one\n", "absent"),
        yield* change("Edit 1", "two\n", textHash("one\n")),
        yield* change("Edit 2", "three\n", textHash(askFirst ? "two\n" : "one\n"))
      ]
      assert.deepStrictEqual(made, [true, askFirst, false])
      assert.strictEqual(approver.asked.length, askFirst ? 2 : 3)
      assert.strictEqual(approver.asked[0]?.[0]?.offers?.repairs !== undefined, askFirst)
    })
  }
})

nodeTest("a denial by nobody decides about no other call of the same reply", function* () {
  const { gate, root } = yield* openGate({})
  for (const name of ["a.md", "b.md"]) {
    const question = questionOfCall({ ...inTask("T"), reply: "reply-1" }, writing(`${root}/${name}`, "x\n"))
    const { by, unasked } = yield* Effect.flip(gate.authorize(question))
    assert.deepStrictEqual([by, unasked], ["nobody", undefined])
  }
})

describe("what a change tells of a file", () => {
  nodeTest("counts as read when the user allowed it, and not when a rule allows the change", function* () {
    const told = Effect.fnUntraced(function* (rules: ReadonlyArray<Rule>, calls: ReadonlyArray<CallAnswer>) {
      const approver = scriptedApprover({ calls })
      const { gate, root } = yield* openGate({ approver: approver.layer, options: () => ({ rules }) })
      yield* gate.authorize(questionOfReading(inTask("T"), `${root}/.env`, "edit_file"))
      return yield* mayShow(gate)(`${root}/.env`)
    })
    assert.deepStrictEqual([yield* told([allow("edit_file", ".env")], []), yield* told([], ["once"])], [false, true])
  })
})
