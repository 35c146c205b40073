import { describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { JournalRecord } from "../../../src/domain/history/JournalRecord.ts"
import { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { plainEncoder } from "../../../src/domain/text/PlainEncoding.ts"

const jsonOf = (value: unknown): string => JSON.stringify(value)

describe("the encoding of plain values", () => {
  for (const schema of [...JournalRecord.members, ...RunEvent.members]) {
    const { type } = schema.fields
    const encode = plainEncoder<typeof schema.Type, Schema.Json>(schema as never)
    const bySchema = Schema.encodeSync(schema as Schema.Codec<typeof schema.Type, unknown>)
    it.effect.prop(
      `is that of the schema for ${type.schema.literal}`,
      { value: Arbitrary.schema(schema as Schema.Codec<typeof schema.Type, unknown>) },
      ({ value }) =>
        Effect.sync(() => {
          expect(jsonOf(encode(value))).toBe(jsonOf(bySchema(value)))
        })
    )
  }
})
