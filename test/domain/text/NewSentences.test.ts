import { expect, it } from "@effect/vitest"
import { newSentences } from "../../../src/domain/text/NewSentences.ts"

const prompt = "Give each call of `open` that reads text an encoding, and keep binary ones."

it("leaves out the sentences that another text says, in other forms of its words", () => {
  expect(newSentences("Give the calls of `open` an encoding. Skip the tests.", prompt)).toBe("Skip the tests.")
  expect(newSentences("Give an encoding to each call of `open`; keep the binary ones.", prompt)).toBe("")
  expect(newSentences("- Keep binary calls.\n- Use `utf-8`.", prompt)).toBe("- Use `utf-8`.")
})

it("keeps what denies, limits, or names another thing", () => {
  const sentences = ["Do not keep binary ones.", "Keep only binary ones.", "Give each call of `Open` an encoding."]
  for (const sentence of sentences) expect(newSentences(sentence, prompt)).toBe(sentence)
  const fenced = "Give each call:\n\n```\nopen(1)\n```"
  expect(newSentences(fenced, prompt)).toBe(fenced)
  expect(newSentences("Keep it.", "")).toBe("Keep it.")
  // A sentence stays whole, so that none ends in the middle.
  const half = "Give each call of `open` a mode; keep binary ones."
  expect(newSentences(half, prompt)).toBe(half)
})
