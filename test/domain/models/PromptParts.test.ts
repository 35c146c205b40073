import { expect, it } from "@effect/vitest"
import { addParts, overflowText, splitPart } from "../../../src/domain/models/PromptParts.ts"

const part = (name: string, characters: number) => ({ name, characters })

it("joins parts of one name, largest first, without empty ones", () => {
  expect(addParts([part("a", 2), part("b", 5), part("a", 4), part("c", 0)])).toEqual([part("a", 6), part("b", 5)])
  expect(splitPart([part("a", 6), part("b", 5)], "a", [part("x", 1), part("y", 9)])).toEqual([
    part("y", 9),
    part("b", 5),
    part("x", 1)
  ])
})

it("says what is large and what to do about the largest part that a person can change", () => {
  expect(
    overflowText({
      estimated: 9100,
      window: 8192,
      parts: [
        { name: "instructions", tokens: 4000 },
        { name: "project_description", tokens: 3000 },
        { name: "tool_outputs", tokens: 900 }
      ]
    })
  ).toBe(
    "The prompt needs about 9100 tokens, the context window holds 8192. The largest parts are instructions (4000), project description (3000), tool calls and outputs (900). Shorten AGENTS.md or README.md, or raise contextWindow."
  )
  expect(overflowText({ estimated: 9000, window: 8192 })).toBe(
    "The prompt needs about 9000 tokens, the context window holds 8192. Narrow the references, or raise contextWindow."
  )
})
