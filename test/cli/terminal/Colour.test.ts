import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { makePaint, wantsColour } from "../../../src/cli/terminal/Colour.ts"

it.each<[isColoured: boolean, isTerminal: boolean, noColor?: string, forceColor?: string, term?: string]>([
  [true, true],
  [false, false],
  [false, true, "1"],
  [true, true, ""],
  [false, true, "1", "1"],
  [true, false, undefined, "1"],
  [false, true, undefined, "0"],
  [false, true, undefined, "false"],
  [false, true, undefined, "1", "dumb"]
])("colours: %s, on a terminal: %s, NO_COLOR %s, FORCE_COLOR %s, TERM %s", (isColoured, isTerminal, ...wishes) => {
  const [noColor, forceColor, term] = wishes
  assert.strictEqual(wantsColour(isTerminal, { noColor, forceColor, term }), isColoured)
})

it("writes the sequences of terminals, although these tests run without one, or leaves text alone", () => {
  const { bold, dim, green, red, yellow } = makePaint(true)
  assert.strictEqual(
    [bold("a"), dim("a"), red("a\nb"), green(""), yellow("a"), makePaint(false).red("no")].join(" "),
    "\u001b[1ma\u001b[22m \u001b[2ma\u001b[22m \u001b[31ma\nb\u001b[39m \u001b[32m\u001b[39m \u001b[33ma\u001b[39m no"
  )
})

it("goes on in its colour behind another one", () => {
  const { green, red } = makePaint(true)
  assert.strictEqual(red(`a${green("b")}c`), "\u001b[31ma\u001b[32mb\u001b[39m\u001b[31mc\u001b[39m")
})

it("lets Node say nothing about variables that contradict each other", () => {
  const module = new URL("../../../src/cli/terminal/Colour.ts", import.meta.url).href
  const code = `import { makePaint } from "${module}"; process.stdout.write(makePaint(true).red("no"))`
  const options = { encoding: "utf8", env: { NO_COLOR: "1", FORCE_COLOR: "1" } } as const
  const { stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], options)
  assert.deepStrictEqual([stdout, stderr], ["\u001b[31mno\u001b[39m", ""])
})
