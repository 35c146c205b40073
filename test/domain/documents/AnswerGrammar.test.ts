import { assert, describe, it } from "@effect/vitest"
import { callSchema, planGrammar } from "../../../src/domain/documents/AnswerGrammar.ts"
import { readTurn } from "../../../src/domain/documents/TurnFormat.ts"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { jsonSchemaParameters } from "../../../src/domain/tools/ToolSchema.ts"
import { grammarKinds, grammarTools, rejectedTexts } from "../../support/readGrammarTexts.ts"
import { sampleGrammar } from "../../support/sampleGrammar.ts"
import { randomFrom } from "../../mutations/Damage.ts"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const made = (kind: keyof typeof grammarKinds, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, sampleGrammar(grammarKinds[kind]!.grammar, randomFrom(3)))

describe("AnswerGrammar", () => {
  for (const [name, kind] of Object.entries(grammarKinds)) {
    it(`makes texts that the reader accepts: ${name}`, () => {
      assert.deepStrictEqual(rejectedTexts(kind, 150, 7), [])
    })
  }

  it("makes texts of every kind that it has", () => {
    const plans = made("revision", 400).join("\n")
    for (const part of ["### Task section 2", "### Task section 3", "(3)\n", "#read-it-results", "user approval**"]) {
      assert.include(plans, part)
    }
    assert.isTrue(made("revision", 40).some((text) => !text.includes("### Task section")))
    const turns = made("turn", 100)
    for (const begin of ["## Tool Calls", "## Result summary"]) {
      assert.isTrue(turns.some((text) => text.startsWith(begin)))
    }
    assert.include(turns.join("\n"), "<<<<<<< OLD")
    for (const { name } of grammarTools) assert.include(turns.join("\n"), `"name": "${name}"`)
    assert.notInclude(made("turn without changes", 100).join("\n"), "<<<<<<< OLD")
    assert.notInclude(made("turn without tools", 100).join("\n"), "## Tool Calls")
  })

  it("allows no more than the skills and links that there are", () => {
    const grammar = planGrammar({ skills: ["read-code"], links: [], mayBeEmpty: false })
    const texts = Array.from({ length: 50 }, sampleGrammar(grammar, randomFrom(1)))
    for (const text of texts) {
      assert.notInclude(text, "**References**")
      assert.deepStrictEqual([...new Set(text.match(/(?<=\*\*Skill\*\* ).*/g))], ["read-code"])
    }
  })

  it("describes calls as a schema whose values are read as calls", () => {
    const call = { name: "search_files", arguments: { pattern: "retry", isRegex: false } }
    const schema = JSON.parse(JSON.stringify(callSchema(grammarTools)))
    const accepts = (value: object): boolean =>
      schema.anyOf.some((one: object) => {
        const codec = jsonSchemaParameters(one)
        return Result.isSuccess(codec) && Schema.is(codec.success)(value)
      })
    assert.isTrue(accepts(call))
    assert.isFalse(accepts({ ...call, name: "no_such_tool" }))
    assert.isFalse(accepts({ name: "read_file", arguments: {} }))
    const task = plainTask("Read it", "read-code", "Say what is in it.", "A sentence.", {})
    const turn = readTurn(JSON.stringify(call), { task, inputs: [], kept: [], mayChange: false, isTool: () => true })
    assert.deepStrictEqual(turn.calls, [{ uid: "call-1", ...call }])
    assert.deepStrictEqual(turn.issues, [])
  })
})
