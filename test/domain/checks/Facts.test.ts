import { describe, expect, it } from "@effect/vitest"
import { notRun, outcomeOf } from "../../../src/domain/checks/CheckOutcome.ts"
import { factLines, fileFacts, runFacts } from "../../../src/domain/checks/Facts.ts"

const check = { argv: ["npm", "test"], kind: "tests" } as const
const passed = outcomeOf(check, { exitCode: 0, output: "", seconds: 1 })
const failed = outcomeOf(check, { exitCode: 1, output: "--- FAIL: TestA", seconds: 1 })
const change = { path: "a.txt", base: "one\ntwo\n", text: "one\n2\nthree\n" }

const lastLine = (...checks: Parameters<typeof runFacts>[1]) => factLines(runFacts(fileFacts([change]), checks)).at(-1)

describe("the facts at the end of a run", () => {
  it("are the lines that changed and how the checks ended", () => {
    const created = { path: "new.txt", base: null, text: "x\n" }
    const removed = { path: "old.txt", base: "y\n", text: null }
    const end = { path: "end.txt", base: "a\n", text: "a" }
    expect(factLines(runFacts(fileFacts([change, created, removed, end]), [passed, failed]))).toEqual([
      "4 files changed, 4 insertions(+), 3 deletions(-):",
      "- a.txt: 2 insertions(+), 1 deletion(-)",
      "- new.txt (new): 1 insertion(+)",
      "- old.txt (removed): 1 deletion(-)",
      "- end.txt: 1 insertion(+), 1 deletion(-)",
      "- passed: `npm test` (exit code 0)",
      "- failed: `npm test` (exit code 1): TestA"
    ])
  })

  it("say what ran in a check, and nothing that its output does not say", () => {
    const declared = ["adds more", "is never run"].map((name) => ({ path: "test/a.test.ts", name }))
    const ran = (exitCode: number, output: string) => {
      const end = { exitCode, output, seconds: 1 }
      return outcomeOf(check, end, exitCode === 0 ? { declared } : { declared, before: end })
    }
    const good = " ✓ test/a.test.ts > adds more 2ms\n      Tests  102 passed (102)\n"
    const old = " FAIL  test/b.test.ts > old\n ✓ test/a.test.ts > adds more 2ms\n      Tests  1 failed | 3 passed (4)\n"
    const lines = factLines(runFacts(fileFacts([change]), [ran(0, good), ran(1, old), ran(0, "It is good.\n")]))
    expect(lines.slice(-3)).toEqual([
      "- passed: `npm test` (exit code 0). 102 passed, 1 of them new: adds more.",
      "- nothing new fails: `npm test` (exit code 1). 1 failed, 3 passed, 1 of them new: adds more. What fails now failed before.",
      "- passed: `npm test` (exit code 0)"
    ])
  })

  it("say when nothing was checked, and why a check was not run", () => {
    expect(lastLine()).toBe("- not checked: no check is known for these changes")
    expect(lastLine(notRun(check, "Nobody allowed it."))).toBe("- not run: `npm test`. Nobody allowed it.")
    expect(factLines(runFacts([], []))).toEqual([])
  })

  it.each([
    ["passed", [change], [passed], false],
    ["stale", [change], [passed], true],
    ["failed", [change], [passed, failed], false],
    ["failed", [change], [failed], true],
    ["not checked", [change], [], false],
    ["not checked", [change], [passed, notRun(check, "No.")], false],
    ["nothing changed", [{ ...change, text: change.base }], [], false]
  ] as const)("are %s", (state, files, checks, isStale) => {
    expect(runFacts(fileFacts(files), checks, { isStale }).state).toBe(state)
  })
})
