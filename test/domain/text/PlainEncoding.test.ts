import { describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Refinement } from "../../../src/domain/documents/Refinement.ts"
import { JournalRecord } from "../../../src/domain/history/JournalRecord.ts"
import { ModelAnswer } from "../../../src/domain/models/ModelAnswer.ts"
import { TaskList } from "../../../src/domain/plan/TaskList.ts"
import { TaskResult } from "../../../src/domain/plan/TaskResult.ts"
import { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { RunReport } from "../../../src/domain/runs/RunReport.ts"
import { plainEncoder } from "../../../src/domain/text/PlainEncoding.ts"
import { ToolResult } from "../../../src/domain/tools/ToolCall.ts"
import { PermissionDenied } from "../../../src/services/permissions/GateQuestion.ts"

type AnySchema = Schema.Codec<unknown, Schema.Json>

const named = (schema: { readonly fields: { readonly type: { readonly schema: { readonly literal: string } } } }) =>
  [schema.fields.type.schema.literal, schema as unknown as AnySchema] as const

/** Everything that is written to a journal or told as an event, and the outcomes of activities and stages. */
const schemas: ReadonlyArray<readonly [string, AnySchema]> = [
  ...JournalRecord.members.map(named),
  ...RunEvent.members.map(named),
  ...Object.entries({
    ModelAnswer,
    PermissionDenied,
    Refinement,
    RunReport,
    TaskList,
    TaskResult,
    ToolResult,
    count: Schema.NumberFromString,
    nothing: Schema.Void,
    maybe: Schema.Option(Schema.Int)
  }).map(([name, schema]) => [name, Schema.toCodecJson(schema as Schema.Codec<unknown, unknown>) as AnySchema] as const)
]

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** The same value with its keys in another order and one more of them. */
const disordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(disordered)
  if (!isPlain(value)) return value
  const parts = Object.entries(value).map(([name, one]) => [name, disordered(one)] as const)
  return Object.fromEntries(parts.toReversed())
}

describe("the encoding of plain values", () => {
  for (const [name, schema] of schemas) {
    const encode = plainEncoder(schema)
    const bySchema = Schema.encodeSync(schema)
    it.effect.prop(`is that of the schema for ${name}`, { value: Arbitrary.schema(schema) }, ({ value }) =>
      Effect.sync(() => {
        expect(JSON.stringify(encode(value))).toBe(JSON.stringify(bySchema(value)))
        const other = disordered(value)
        expect(JSON.stringify(encode(other))).toBe(JSON.stringify(bySchema(other)))
      })
    )
  }

  const call = { stage: "plan", round: 0, attempt: 1 } as const
  const finished: RunEvent = { type: "model.finished", call, usage: { durationMs: 1 } }
  const encodeEvent = plainEncoder<RunEvent, Schema.Json>(RunEvent)

  it("leaves out what the schema does not name, and optional fields without a value", () => {
    const more = { ...finished, extra: 1, call: { ...call, task: undefined } } as unknown as RunEvent
    expect(encodeEvent(more)).toEqual(finished)
  })

  it.each([
    ["a number that JSON cannot hold", { ...finished, usage: { durationMs: Number.NaN } }],
    ["a fraction in the place of an integer", { ...finished, call: { ...call, attempt: 1.5 } }],
    ["a missing field", { type: "model.finished", call }],
    ["an unknown type", { ...finished, type: "model.vanished" }],
    ["an unknown word", { ...finished, call: { ...call, stage: "sleep" } }],
    ["a text in the place of a list", { type: "task.refined", round: 1, step: 0, task: "A", calls: "none" }],
    ["nothing at all", undefined]
  ])("refuses %s", (_, value) => {
    expect(() => encodeEvent(value as RunEvent)).toThrow()
  })

  it("keeps every key of a record of anything", () => {
    const given = JSON.parse('{"uid":"1","name":"a","arguments":{"__proto__":1,"2":null,"b":[{"c":"d"}]}}')
    const intent = { type: "task.refined", round: 1, step: 0, task: "A", calls: [given] } as unknown as RunEvent
    expect(JSON.stringify(encodeEvent(intent))).toContain('"arguments":{"2":null,"__proto__":1,"b":[{"c":"d"}]}')
  })
})
