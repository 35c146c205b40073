import { expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { readResult } from "../../../src/domain/documents/ResultFormat.ts"

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
