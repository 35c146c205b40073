import { assert, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { AnsweredBy, CallAnswer, UncertainAnswer, inWords, StepAnswer } from "../../../src/domain/permissions/Answer.ts"

const kept = <A>(schema: Schema.Codec<A, A>, answers: ReadonlyArray<A>): ReadonlyArray<A> =>
  answers.map((answer) => Schema.decodeUnknownSync(schema)(JSON.parse(JSON.stringify(answer))))

it("can be given to each kind of question, and kept with a run", () => {
  const ofSteps = ["step", "repairs", "remaining", "decline", { chosen: [1, 3] }] as const
  assert.deepStrictEqual<unknown>(kept(StepAnswer, ofSteps), ofSteps)
  const ofCalls = ["once", "repairs", "session", "remember", "deny"] as const
  assert.deepStrictEqual<unknown>(kept(CallAnswer, ofCalls), ofCalls)
  assert.deepStrictEqual<unknown>(kept(UncertainAnswer, ["again", "done", "stop"]), ["again", "done", "stop"])
  assert.deepStrictEqual<unknown>(kept(AnsweredBy, ["person", "rule", "nobody"]), ["person", "rule", "nobody"])
})

it("in words is nothing without words", () => {
  assert.deepStrictEqual(inWords(""), { answer: "nothing", by: "person" })
  assert.deepStrictEqual(inWords("No."), { answer: "said", by: "person", text: "No." })
})
