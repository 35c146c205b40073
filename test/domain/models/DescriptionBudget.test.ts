import { expect, it } from "@effect/vitest"
import { shortenDescription } from "../../../src/domain/models/DescriptionBudget.ts"

const paragraph = "The shop sells tea and keeps its stock in a table."
const long = Array.from({ length: 100 }, () => paragraph).join("\n\n")

it("leaves a description alone that takes at most a quarter of the window", () => {
  expect(shortenDescription(long, 8192)).toEqual({ text: long })
})

it("ends a longer one at a paragraph, says so in it, and tells the person", () => {
  const { note, text } = shortenDescription(long, 4096)
  const shown = text.split("\n\n")
  expect(text.length).toBeLessThanOrEqual((4096 / 4 / 1.15) * 4)
  expect(shown.slice(0, -1).every((one) => one === paragraph)).toBe(true)
  expect(shown.at(-1)).toBe(
    `(The project description ends here: ${long.length - shown.slice(0, -1).join("\n\n").length} more characters would take too much of the context window.)`
  )
  expect(note).toContain(`The project description has ${long.length} characters, more than a quarter`)
})
