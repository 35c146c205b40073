import { describe, expect, it } from "@effect/vitest"
import {
  isKnownHeadingText,
  turnHeadings,
  resultHeadings,
  taskListHeadings
} from "../../../src/domain/markdown/MarkdownHeadings.ts"
import { makeDocuments, makeRandom } from "../../support/randomDocuments.ts"

const titles = [
  "Original prompt",
  "Goals / summary",
  "Tasks",
  "Issues with the tasks (rectified)",
  "Inputs",
  "Task",
  "Added references",
  "Look first",
  "Tool Calls",
  "Result summary",
  "Task section 3: more"
]

const isExactSomewhere = (text: string): boolean =>
  [taskListHeadings, turnHeadings, resultHeadings].some((known) => known(text)?.exact === true)

describe("isKnownHeadingText", () => {
  it.each(titles)("knows %s however it is written", (title) => {
    const kelvin = title.replace(/k/i, "\u212a")
    for (const text of [title, title.toUpperCase(), `¿ ${title} !`, title.replace(" ", "\u00a0 "), `*${kelvin}*`]) {
      expect([text, isKnownHeadingText(text)]).toEqual([text, true])
    }
  })

  it("says the same as the headings of the documents about their lines", () => {
    const random = makeRandom(12)
    for (const kind of ["task-list", "refinement", "result"] as const) {
      const makeText = makeDocuments(kind, random)
      for (let count = 0; count < 150; count += 1) {
        for (const line of makeText().split("\n").slice(0, 30)) {
          const text = line.replace(/^#+ /, "")
          expect([text, isKnownHeadingText(text)]).toEqual([text, isExactSomewhere(text)])
        }
      }
    }
  })

  it("knows no heading of more than 200 characters", () => {
    expect(isKnownHeadingText(`Task section 1 ${"x".repeat(185)}`)).toBe(true)
    expect(isKnownHeadingText(`Task section 1 ${"x".repeat(186)}`)).toBe(false)
  })

  it("remembers headings without mixing up documents, however many there are", () => {
    for (let round = 0; round < 2; round += 1) {
      for (let number = 0; number < 600; number += 1) {
        expect(taskListHeadings(`Task section ${number}`)?.key).toBe("task-section")
        expect(turnHeadings(`Task section ${number}`)).toBe(undefined)
      }
    }
  })
})
