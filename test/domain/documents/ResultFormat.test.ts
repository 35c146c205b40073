import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readResult } from "../../../src/domain/documents/ResultFormat.ts"
import { makeDocuments, makeRandom } from "../../support/randomDocuments.ts"
import { arbitraryText } from "../../support/TaskListArbitrary.ts"

describe("readResult", () => {
  it("keeps the whole document and the summary with its sub-headings", () => {
    const text = "Intro.\n\n## Result summary\n\nFound.\n\n### Where\n\nHere: \\# 1\n\n---\n\n## Evidence\n\nMore.\n"
    const { issues, value } = readResult(text)
    expect({ issues, value }).toEqual({
      issues: [],
      value: Option.some({ summary: "Found.\n\n### Where\n\nHere: \\# 1", document: text.trim() })
    })
  })

  it("takes off what surrounds the answer", () => {
    const { repairs, value } = readResult("<think>x</think>\n```markdown\n# Result summary\nFound.\n## More\n```\n")
    expect({ repairs: repairs.map((repair) => repair.code), value }).toEqual({
      repairs: ["thinking-removed", "fence-unwrapped", "heading-level"],
      value: Option.some({ summary: "Found.", document: "# Result summary\nFound.\n## More" })
    })
  })

  it("reads the document of an answer that needed no repair as it read the answer, but for blanks at its end", () => {
    const random = makeRandom(14)
    const makeText = makeDocuments("result", random)
    const ends = ["", "\n", " \n\n", "\t", "\u00a0\n"]
    let count = 0
    for (let tries = 0; tries < 600; tries += 1) {
      const answer = makeText().trim() + (ends[random(ends.length)] ?? "")
      const { issues, repairs, value } = readResult(answer)
      const document = Option.match(value, { onNone: () => "", onSome: (result) => result.document })
      if (issues.length + repairs.length > 0 || document !== answer.trimEnd()) continue
      expect(readResult(document).value).toEqual(value)
      count += 1
    }
    expect(count).toBeGreaterThan(20)
  })

  it("wants a summary that is not empty", () => {
    for (const [text, code] of [
      ["Found it.", "section-missing"],
      ["## Result summary\n\n---\n\n## Details\n\nx", "section-empty"],
      ["```ts\n## Result summary\nx\n```", "section-missing"]
    ] as const) {
      const { issues, value } = readResult(text)
      expect({ codes: issues.map((issue) => issue.code), value }).toEqual({ codes: [code], value: Option.none() })
    }
  })

  it.effect.prop(
    "gives the summary as it stands in the document",
    { before: arbitraryText, summary: arbitraryText },
    (text) =>
      Effect.sync(() => {
        const { issues, value } = readResult(
          `## Notes\n\n${text.before}\n\n## Result summary\n\nFound: ${text.summary}`
        )
        const isPart = Option.exists(value, ({ document, summary }) => summary !== "" && document.includes(summary))
        expect(isPart).toBe(issues.length === 0)
      })
  )
})
