import { describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { checkDocument } from "../../../src/domain/documents/CheckReport.ts"
import { readTaskReport } from "../../../src/domain/documents/RefinementFormat.ts"
import type { InputValue } from "../../../src/domain/documents/TaskOutcome.ts"
import { readSkillInputs } from "../../../src/domain/skills/Skill.ts"
import { renderTaskPart, renderTaskReport } from "../../../src/domain/documents/TaskRendering.ts"
import { arbitraryText, arbitraryWork } from "../../support/TaskListArbitrary.ts"

const kinds = ["task-list", "refinement", "result"] as const

const leaf = Arbitrary.schema(Schema.Union([Schema.String, Schema.Int, Schema.Boolean, Schema.Null]))
const key = Arbitrary.schema(Schema.Literals(["path", "query", "a b", "ä", "name", "uid", "", "constructor", "```"]))
const few = { maxLength: 4 }
const values = Arbitrary.map(
  Arbitrary.array(Arbitrary.all([key, arbitraryText, leaf, Arbitrary.array(leaf, few)]), few),
  (entries): Readonly<Record<string, Schema.Json>> =>
    Object.fromEntries(
      entries.map(([name, text, one, several], index) => [name, [text, one, several, { [name]: one }][index] ?? null])
    )
)

const refinement = Arbitrary.all({
  list: arbitraryWork,
  calls: Arbitrary.array(
    Arbitrary.all({ name: Arbitrary.schema(Schema.Literals(["read_file", "write_file"])), arguments: values }),
    few
  )
})

const bytes = Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))), {
  maxLength: 400
})

/** As the reader keeps it. */
const oneLine = (text: string): string => text.replaceAll("\0", "").replace(/\s+/g, " ").trim()

const { inputs: typedInputs } = readSkillInputs(
  "- `reason` (text, optional)\n- `note` (text, optional)\n- `lines` (number)\n- `deep` (yes-no)"
)

describe("a reader", () => {
  it.prop(
    "reads a refinement back as it was written, with any arguments",
    { refinement },
    ({ refinement: { calls, list } }) => {
      const numbered = calls.map((call, index) => ({ ...call, uid: `c${index}` }))
      for (const task of list.tasks) {
        const text = renderTaskReport({ task, calls: numbered })
        expect(readTaskReport(text, { task })).toEqual({
          value: Option.some({ task, calls: numbered }),
          issues: [],
          repairs: []
        })
        expect(readTaskReport(renderTaskPart(task), { task }).value).toEqual(Option.some({ task, calls: [] }))
      }
    },
    { arbitrary: { runs: 200 } }
  )
  it.prop(
    "reads typed inputs back as they were written",
    { list: arbitraryWork, reason: arbitraryText, note: Schema.String, lines: Schema.Finite, deep: Schema.Boolean },
    ({ deep, lines, list, note, reason }) => {
      const texts = { reason: oneLine(reason), note: oneLine(note) }
      const values: ReadonlyArray<InputValue> = [
        ...Object.entries(texts).flatMap(([name, value]) => (value === "" ? [] : [{ name, value }])),
        // Numbers are written in digits.
        { name: "lines", value: Math.trunc(lines) % 1_000_000 || 0 },
        { name: "deep", value: deep }
      ]
      for (const task of list.tasks) {
        const text = renderTaskReport({ task, inputs: values, calls: [] })
        expect(readTaskReport(text, { task, inputs: typedInputs })).toEqual({
          value: Option.some({ task, inputs: values, calls: [] }),
          issues: [],
          repairs: []
        })
      }
    },
    { arbitrary: { runs: 200 } }
  )
  it.prop(
    "gives a value or issues for any text and for any bytes",
    { bytes, text: Schema.String },
    (given) => {
      for (const text of [given.text, new TextDecoder().decode(Uint8Array.from(given.bytes))]) {
        for (const kind of kinds) {
          const { issues, value } = checkDocument(kind, text)
          expect(value === null).toBe(issues.length > 0)
        }
      }
    },
    { arbitrary: { runs: 300 } }
  )
})
