import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { environmentOf, makeSandbox, program } from "../../support/binary.ts"
import { needsTerminal, openTerminal } from "../../support/PseudoTerminal.ts"
import { isLongerThan, pagerCommand } from "../../../src/cli/runs/Pager.ts"

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

const journal = fileURLToPath(new URL("../../fixtures/journals/v1/approved/journal.jsonl", import.meta.url))

describe("a long text on a terminal", needsTerminal, () => {
  it("opens in the pager, and is printed where there is none or none is wanted", async () => {
    const sandbox = makeSandbox()
    const runId = "20261121-185920-ndfx"
    sandbox.write(`home/.local/state/task-conductor/runs/${runId}/journal.jsonl`, readFileSync(journal))
    const show = (env: string, ...flags: ReadonlyArray<string>) =>
      `${env} '${process.execPath}' '${program}' show ${runId} ${flags.join(" ")}`
    sandbox.write("pager.sh", 'while IFS= read -r line; do printf "PAGED:%s\\n" "$line"; done\n')
    const paged = "PAGER='sh ../pager.sh'"
    const terminal = openTerminal(
      [
        show(paged),
        "echo",
        show(paged, "--no-pager"),
        show("PAGER=no-such-pager"),
        show(`TERM=dumb ${paged}`),
        `${show(paged)} | tail -1`,
        show(paged, "--json", "| head -1")
      ].join("; echo ======; "),
      { cwd: join(sandbox.root, "project"), env: environmentOf(sandbox.root) }
    )
    await terminal.ended
    const parts = terminal.screen().split(/======\r?\n/)
    expect(parts.map((part) => part.includes("PAGED:"))).toEqual([true, false, false, false, false, false, false])
    const heading = `# Run ${runId}`
    expect(parts.map((part) => part.includes(heading))).toEqual([true, false, true, true, true, false, false])
    sandbox.remove()
  })
})
