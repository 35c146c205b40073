import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
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

  it("writes the sequences of terminals, although these tests run without one", () => {
    const { bold, dim, green, red, yellow } = makePaint(true)
    assert.deepStrictEqual(
      [bold("a"), dim("a"), red("a\nb"), green(""), yellow("a")],
      [
        "\u001b[1ma\u001b[22m",
        "\u001b[2ma\u001b[22m",
        "\u001b[31ma\nb\u001b[39m",
        "\u001b[32m\u001b[39m",
        "\u001b[33ma\u001b[39m"
      ]
    )
  })

  it("goes on in its colour behind another one", () => {
    const { green, red } = makePaint(true)
    assert.strictEqual(red(`a${green("b")}c`), "\u001b[31ma\u001b[32mb\u001b[39m\u001b[31mc\u001b[39m")
  })

  it("lets Node say nothing about variables that contradict each other", () => {
    const module = new URL("../../../src/cli/terminal/Colour.ts", import.meta.url).href
    const { stderr, stdout } = spawnSync(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `import { makePaint } from "${module}"; process.stdout.write(makePaint(true).red("no"))`
      ],
      { encoding: "utf8", env: { NO_COLOR: "1", FORCE_COLOR: "1" } }
    )
    assert.deepStrictEqual([stdout, stderr], ["\u001b[31mno\u001b[39m", ""])
  })
})
