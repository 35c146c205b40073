import { describe, expect, it } from "vitest"
import { isLongerThan, pagerCommand } from "../../../src/cli/terminal/Pager.ts"

describe("a pager", () => {
  it.each<[string | undefined, string | undefined, string | undefined]>([
    [undefined, "xterm", "less -R"],
    ["", "xterm", "less -R"],
    ["more", "xterm", "more"],
    ["less -S", undefined, "less -S"],
    ["less", "dumb", undefined],
    [undefined, "dumb", undefined],
    ["cat", "xterm", undefined]
  ])("PAGER %s on a terminal %s is %s", (pager, term, command) => {
    expect(pagerCommand({ pager, term })).toBe(command)
  })

  it.each<[string, string, boolean]>([
    ["what fits with the prompt below it", "a\nb\nc", false],
    ["one line more", "a\nb\nc\nd", true],
    ["lines that are broken", `a\n${"b".repeat(21)}`, true],
    ["lines that just fit", `a\n${"b".repeat(20)}`, false],
    ["wide characters", `a\n${"語".repeat(11)}`, true],
    ["colours", `a\n\u001b[1m${"b".repeat(20)}\u001b[22m`, false]
  ])("is for what is longer than the screen: %s", (_, text, isLonger) => {
    expect(isLongerThan(text, { columns: 10, rows: 4 })).toBe(isLonger)
  })

  it("is for screens of a known size", () => {
    expect(isLongerThan("a\nb\nc\nd", { columns: 0, rows: 0 })).toBe(false)
  })
})
