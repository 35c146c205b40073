import { assert, describe, it } from "@effect/vitest"
import { makePaint, wantsColour } from "../../../src/cli/terminal/Colour.ts"

const wishes = (noColor?: string, forceColor?: string, term?: string) => ({ noColor, forceColor, term })

describe("wantsColour", () => {
  it("colours terminals only", () => {
    assert.isTrue(wantsColour(true, wishes()))
    assert.isFalse(wantsColour(false, wishes()))
  })

  it("follows NO_COLOR when it is not empty, also against FORCE_COLOR", () => {
    assert.isFalse(wantsColour(true, wishes("1")))
    assert.isTrue(wantsColour(true, wishes("")))
    assert.isFalse(wantsColour(true, wishes("1", "1")))
  })

  it("follows FORCE_COLOR without a terminal; 0 and false mean no", () => {
    assert.isTrue(wantsColour(false, wishes(undefined, "1")))
    assert.isFalse(wantsColour(true, wishes(undefined, "0")))
    assert.isFalse(wantsColour(true, wishes(undefined, "false")))
  })

  it("never colours a dumb terminal", () => {
    assert.isFalse(wantsColour(true, wishes(undefined, "1", "dumb")))
  })
})

describe("makePaint", () => {
  it("paints or leaves text alone", () => {
    assert.strictEqual(makePaint(true).red("no"), "\u001b[31mno\u001b[39m")
    assert.strictEqual(makePaint(false).red("no"), "no")
  })
})
