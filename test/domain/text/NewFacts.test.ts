import { expect, it } from "@effect/vitest"
import { saysMore } from "../../../src/domain/text/NewFacts.ts"

const prompt = "Give each call of `open` that reads text an encoding, and keep binary ones."

it.each([
  ["Give the calls of `open` an encoding.", false],
  ["Give an encoding to each call of `open`; keep the binary ones. Words: `open`.", false],
  ["Give an encoding to each call of `open`. Skip the tests.", true],
  ["Do not keep binary ones.", true],
  ["Keep only binary ones.", true],
  ["Give each call of `Open` an encoding.", true],
  ["Give each call an encoding. Words: `reopen`.", true]
])("a task says more than the prompt: %s %s", (task, more) => {
  expect(saysMore(task, prompt)).toBe(more)
})
