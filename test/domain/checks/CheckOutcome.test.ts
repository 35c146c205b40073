import { describe, expect, it } from "@effect/vitest"
import {
  type CheckCommand,
  heldTo,
  notRun,
  outcomeOf,
  passes,
  sinceEarlier,
  statusOf
} from "../../../src/domain/checks/CheckOutcome.ts"
import { estimateTokens } from "../../../src/domain/models/PromptSize.ts"

const check: CheckCommand = { argv: ["npm", "test"], kind: "tests" }
const end = (exitCode: number | null, output: string) => ({ exitCode, output, seconds: 1.234 })
const failing = (...names: ReadonlyArray<string>) =>
  names.map((name) => `--- FAIL: ${name} (0.00s)\n    it is bad`).join("\n")

/** The output of a package that passes, beside what fails. */
const beside = "\nok  \texample.com/b\t0.1s"

const failingAt = (name: string, error: string, place: string): string =>
  `FAIL  ${name}\n${error}\n \u276f use src/a.ts:${place}\n \u276f ${name}.test.ts:1:1\n`

describe("the outcome of a check", () => {
  it("is one line with the count when it passes, and proves nothing when it was not run", () => {
    const outcome = outcomeOf(check, end(0, "Tests  3 passed (3)\n"))
    expect([outcome.text, passes(outcome)]).toEqual(["npm test: passed in 1.2 s (3 passed)", true])
    const unrun = notRun(check, "Nobody allowed it.")
    expect(passes(unrun)).toBe(false)
    expect(unrun).toMatchObject({ notRun: "Nobody allowed it.", newFailures: [] })
  })

  it("shows what is new, and counts what failed before", () => {
    const outcome = outcomeOf(check, end(1, failing("TestA", "TestB")), { before: end(1, failing("TestB")) })
    expect(outcome).toMatchObject({ failures: ["TestA", "TestB"], newFailures: ["TestA"], passedBefore: false })
    expect(outcome.text).toBe(
      "npm test: exit code 1 in 1.2 s\nTestA\n  it is bad\nFailing without the changes too (1): TestB"
    )
    expect(passes(outcome)).toBe(false)
  })

  it("passes when nothing new fails", () => {
    const before = end(1, failing("TestB", "TestC"))
    const outcome = outcomeOf(check, end(1, failing("TestB") + beside), { before })
    expect(outcome.text).toContain("nothing new fails")
    expect([passes(outcome), statusOf(outcome)]).toEqual([true, "nothing new fails"])
  })

  it("fails when all that it names fails, before the changes and with them", () => {
    const outcome = outcomeOf(check, end(1, failing("TestB")), { before: end(1, failing("TestB", "TestC")) })
    expect([outcome.newFailures, passes(outcome), statusOf(outcome)]).toEqual([[], false, "failed"])
    expect(outcome.stillFails).toBe("It fails as it does without the changes, and shows nothing that passes: TestB")
    expect(outcome.text).toContain("TestB\n  it is bad\nIt fails as it does without the changes")
  })

  it("fails when what failed before was to pass", () => {
    const old = end(1, failing("TestRateLimit") + beside)
    const outcome = outcomeOf(check, old, { before: old })
    expect(passes(heldTo(outcome, "Rename the parser."))).toBe(true)
    const held = heldTo(outcome, "Make the failing tests pass.")
    expect([passes(held), statusOf(held)]).toEqual([false, "failed"])
    expect(held.text).toContain("the task asks for it to pass: TestRateLimit")
    expect(heldTo(outcomeOf(check, end(0, "")), "Make the failing tests pass.").stillFails).toBe(undefined)
  })

  it("is new when the same command passed before, or when there is nothing to compare with", () => {
    const [output, both] = [failing("TestA"), end(1, failing("TestA", "TestB"))]
    expect(outcomeOf(check, end(1, output), { before: end(0, output) }).newFailures).toEqual(["TestA"])
    expect(outcomeOf(check, end(1, output)).newFailures).toEqual(["TestA"])
    /* Where nothing can be compared, an earlier check of the same changes says what failed before them. */
    const earlier = [outcomeOf(check, both, { before: end(1, output) })]
    expect(outcomeOf(check, both, { earlier }).newFailures).toEqual(["TestB"])
  })

  it("compares an output that names nothing as a whole", () => {
    const before = end(2, "It is bad after 3 s.\n")
    const same = outcomeOf(check, end(2, "It is bad after 4 s.\n"), { before })
    expect([same.newFailures, same.notRun, same.stillFails]).toEqual([
      [],
      undefined,
      "It fails as it does without the changes, and does not name what fails: It is bad after 4 s."
    ])
    const counted = (count: number) => end(2, `It is bad.\nTests  ${count} passed (3)\n`)
    expect(passes(outcomeOf(check, counted(3), { before: counted(3) }))).toBe(false)
    const worse = outcomeOf(check, end(2, "It is worse.\n"), { before })
    expect(worse.newFailures).toEqual(["exit code 2"])
    expect(worse.text).toContain("It is worse.")
  })

  it("is new when the same failures are named and the exit code is another one, also when it comes again", () => {
    const [before, worse] = [end(1, failing("TestA")), end(2, failing("TestA"))]
    expect(outcomeOf(check, worse, { before }).newFailures).toEqual(["exit code 2"])
    const again = outcomeOf(check, worse, { before, again: worse })
    expect([again.newFailures, again.flaky]).toEqual([["exit code 2"], undefined])
    const more = end(2, failing("TestA", "TestB"))
    expect(passes(outcomeOf(check, end(1, failing("TestA") + beside), { before: more }))).toBe(true)
  })

  it.each([
    ["Ran 0 tests in 0.000s\n\nOK\n", "It found no test to run."],
    ["Ran 10 tests in 0.000s\n\nOK\n", undefined],
    ["?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.1s\n", undefined],
    ["test result: ok. 0 passed; 0 failed\ntest result: ok. 0 passed; 0 failed\n", "It found no test to run."],
    ["test result: ok. 0 passed; 0 failed\ntest result: ok. 10 passed; 0 failed\n", undefined]
  ])("is that of no check when there was no test to run: %j", (output, reason) => {
    const ofKind = (kind: CheckCommand["kind"]) => outcomeOf({ ...check, kind }, end(0, output))
    expect(ofKind("tests").notRun).toBe(reason)
    const isRun = reason === undefined
    expect((["tests", "given", "types"] as const).map((kind) => passes(ofKind(kind)))).toEqual([isRun, isRun, true])
  })

  it("fails when its program can only be started without the changes", () => {
    const missing = end(127, "sh: 1: tester: not found\n")
    expect(outcomeOf(check, missing, { before: end(0, "") }).newFailures).toEqual(["exit code 127"])
    expect(outcomeOf(check, missing, { before: missing }).notRun).toContain("could not be started")
    const earlier = [outcomeOf(check, missing, { before: end(0, "") })]
    expect(passes(outcomeOf(check, missing, { earlier }))).toBe(false)
  })

  it("stays new in later checks of a run, which are compared with the changes before them", () => {
    const first = outcomeOf(check, end(1, failing("TestA", "TestB")), { before: end(1, failing("TestB")) })
    const later = outcomeOf(check, end(1, failing("TestA", "TestB")), { before: end(1, failing("TestA", "TestB")) })
    expect([later.newFailures, sinceEarlier(later, [first]).newFailures]).toEqual([[], ["TestA"]])
    const repaired = outcomeOf(check, end(1, failing("TestB") + beside), { before: end(1, failing("TestA", "TestB")) })
    expect(passes(sinceEarlier(repaired, [first]))).toBe(true)
    expect(sinceEarlier(outcomeOf(check, end(0, "")), [first])).toMatchObject({ exitCode: 0, newFailures: [] })
    expect(sinceEarlier(notRun(check, "It is denied."), [first])).toBe(first)
  })

  it("tells what is flaky from what fails again, and from what failed before", () => {
    const alone = outcomeOf(check, end(1, failing("TestA")), { again: end(0, "") })
    expect(alone).toMatchObject({ exitCode: 0, failures: ["TestA"], newFailures: [], flaky: true })
    expect(alone.text).toContain("flaky:\nTestA")
    const old = end(1, failing("TestOld"))
    const flaky = outcomeOf(check, end(1, failing("TestOld", "TestA")), { before: old, again: old })
    expect(flaky).toMatchObject({ exitCode: 1, newFailures: [], flaky: true })
    expect(passes(flaky)).toBe(true)
    const partly = outcomeOf(check, end(1, failing("TestA", "TestB")), { again: end(1, failing("TestB")) })
    expect([partly.newFailures, partly.exitCode, partly.flaky]).toEqual([["TestB"], 1, undefined])
    expect(partly.text).toContain("these failures are flaky: TestA")
    /* A second run that names nothing says nothing about what the first one named. */
    const broken = outcomeOf(check, end(1, failing("TestA")), { again: end(2, "Out of memory.\n") })
    expect(broken.newFailures).toEqual(["TestA"])
  })

  it("shows an error that stands far before the end of an output of an unknown kind", () => {
    const lines = ["start", "Fatal error in module x: 3 is not 4", ...Array.from({ length: 60 }, (_, n) => `step ${n}`)]
    const { text } = outcomeOf(check, end(1, lines.join("\n")))
    expect(text).toContain("Fatal error in module x: 3 is not 4")
    expect(text).toContain("step 59")
  })

  it("counts as failed when the check is stopped with the changes alone, and proves nothing when it always is", () => {
    const stopped = { ...end(null, failing("TestA")), stopped: "The command was stopped after 600 s." }
    const outcome = outcomeOf(check, stopped, { before: end(0, "") })
    expect([passes(outcome), outcome.notRun]).toEqual([false, undefined])
    expect(outcome.text).toContain("The command was stopped after 600 s.")
    const always = outcomeOf(check, stopped, { before: stopped })
    expect([always.notRun, always.cause, statusOf(always)]).toEqual([stopped.stopped, "limit", "not checked"])
  })

  it.each([1, 5, 40, 500])("fits into 500 tokens with %i failures, and names as many as it can", (count) => {
    const names = Array.from({ length: count }, (_, index) => `TestNumber${index}`)
    const output = names.map((name) => failing(name) + "\n    detail ".repeat(20)).join("\n")
    const { text } = outcomeOf(check, end(1, `${output}\n${count} failing\n`), { before: end(0, "") })
    expect(estimateTokens(text)).toBeLessThanOrEqual(500)
    expect(names.filter((name) => text.includes(name)).length).toBeGreaterThanOrEqual(Math.min(count, 40))
    expect(text).toContain(`totals: ${count} failing`)
  })

  it("shows one error at one place once, however many tests it fails", () => {
    const error = "ReferenceError: toArray is not defined"
    const output = [
      failingAt("a > one", error, "96:31"),
      failingAt("a > two", error, "96:31"),
      failingAt("a > three", error, "12:1"),
      failingAt("a > four", "ReferenceError: other is not defined", "96:31")
    ].join("\n")
    const { failures, text } = outcomeOf(check, end(1, output))
    expect([failures.length, text.match(/ReferenceError/g)?.length]).toEqual([4, 3])
    expect(text).toContain("a > two\n  for the same reason as a > one\na > three\n  ReferenceError")
  })

  it("fits into 500 tokens with the longest lines", () => {
    const { text } = outcomeOf(check, end(1, `x.ts(1,1): error TS1: ${"long ".repeat(5000)}`))
    expect(estimateTokens(text)).toBeLessThanOrEqual(500)
  })
})
