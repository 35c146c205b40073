import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it, layer } from "@effect/vitest"
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

it("reports with a no what is wanted instead, and with a yes the rules that were chosen", () => {
  const given = { by: "person", instead: "Wait.", always: ["read_file"] } as const
  const event = (answer: Parameters<typeof answerEvent>[2]["answer"]) => answerEvent("step", "h", { ...given, answer })
  const parts = (["decline", "deny", "step", "remember", "once", "session"] as const).map((answer) => {
    const { always, instead } = event(answer)
    return [answer, instead, always]
  })
  assert.deepStrictEqual(parts, [
    ["decline", "Wait.", undefined],
    ["deny", "Wait.", undefined],
    ["step", undefined, ["read_file"]],
    ["remember", undefined, ["read_file"]],
    ["once", undefined, undefined],
    ["session", undefined, undefined]
  ])
  assert.notProperty(answerEvent("step", "h", { answer: "step", by: "person", always: [] }), "always")
  const chosen = event({ chosen: [2] })
  assert.deepStrictEqual([chosen.answer, chosen.chosen], ["chosen", [2]])
})

layer(NodeServices.layer)("a yes with what repairs it", (it) => {
  for (const askFirst of [true, false]) {
    it.effect(`covers later changes by its task only where checks follow: ${askFirst}`, () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["repairs", "deny", "deny"] })
        const { gate, root } = yield* openGate({ approver: approver.layer, options: () => ({ askFirst }) })
        const path = `${root}/new.md`
        const change = (task: string, content: string, found: string) => {
          const call = prepared("write_file", "high", [{ _tag: "WriteFile", path, inside: true, content, found }])
          return Effect.map(Effect.result(gate.authorize(questionOfCall(inTask(task), call))), Result.isSuccess)
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
    )
  }
})

layer(NodeServices.layer)("a denial", (it) => {
  it.effect("by nobody decides about no other call of the same reply", () =>
    Effect.gen(function* () {
      const { gate, root } = yield* openGate({})
      const denials = yield* Effect.forEach(["a.md", "b.md"], (name) =>
        Effect.flip(
          gate.authorize(questionOfCall({ ...inTask("T"), reply: "reply-1" }, writing(`${root}/${name}`, "x\n")))
        )
      )
      assert.deepStrictEqual(
        denials.map(({ by, unasked }) => [by, unasked]),
        [
          ["nobody", undefined],
          ["nobody", undefined]
        ]
      )
    })
  )
})

layer(NodeServices.layer)("what a change tells of a file", (it) => {
  it.effect("counts as read when the user allowed it, and not when a rule allows the change", () =>
    Effect.gen(function* () {
      const told = Effect.fnUntraced(function* (rules: ReadonlyArray<Rule>, calls: ReadonlyArray<CallAnswer>) {
        const approver = scriptedApprover({ calls })
        const { gate, root } = yield* openGate({ approver: approver.layer, options: () => ({ rules }) })
        yield* gate.authorize(questionOfReading(inTask("T"), `${root}/.env`, "edit_file"))
        return yield* mayShow(gate)(`${root}/.env`)
      })
      assert.deepStrictEqual([yield* told([allow("edit_file", ".env")], []), yield* told([], ["once"])], [false, true])
    })
  )
})
