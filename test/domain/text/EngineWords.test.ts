import { assert, describe, it } from "@effect/vitest"
import { plainFault } from "../../../src/domain/text/EngineWords.ts"

const thrownBy = (act: () => unknown): Error => {
  try {
    act()
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error("nothing was thrown")
}

const deeper = (): number => 1 + deeper()

describe("an error of the engine", () => {
  it.each([
    ["Server started\nand more", "this is not JSON: Server sta"],
    ["not json", "this is not JSON: not json"],
    [`${"x".repeat(100)}`, `this is not JSON: ${"x".repeat(10)}`],
    ['{"a":', "a text is not complete JSON"],
    ["", "a text is not complete JSON"]
  ])("that JSON.parse threw for %j is said without the engine's words", (text, words) => {
    assert.strictEqual(plainFault(thrownBy(() => JSON.parse(text))), words)
  })

  it("is said without its words when calls are nested too deeply, and otherwise as it is", () => {
    assert.strictEqual(plainFault(thrownBy(deeper)), "it is nested too deeply, or calls itself without end")
    assert.strictEqual(plainFault(new Error("the disk is full")), "the disk is full")
    assert.strictEqual(plainFault(new TypeError("")), "TypeError")
  })
})
