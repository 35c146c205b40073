import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { quotedText } from "../../../src/domain/text/QuotedText.ts"

it.effect.prop(
  "is the JSON of a text, however many others came between",
  { texts: Schema.Array(Schema.String) },
  ({ texts }) =>
    Effect.sync(() => {
      for (const text of [...texts, ...texts.toReversed()]) expect(quotedText(text)).toBe(JSON.stringify(text))
    })
)
