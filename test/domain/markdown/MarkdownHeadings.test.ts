import { describe, expect, it } from "@effect/vitest"
import { isKnownHeadingText, turnHeadings, taskListHeadings } from "../../../src/domain/markdown/MarkdownHeadings.ts"

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

describe("isKnownHeadingText", () => {
  it.each(titles)("knows %s however it is written", (title) => {
    const kelvin = title.replace(/k/i, "\u212a")
    for (const text of [title, title.toUpperCase(), `¿ ${title} !`, title.replace(" ", "\u00a0 "), `*${kelvin}*`]) {
      expect([text, isKnownHeadingText(text)]).toEqual([text, true])
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
