import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { passes } from "../../../src/domain/checks/CheckOutcome.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { inSession, makeJournal } from "../../support/JournalSession.ts"
import { makeFolder, makeProject } from "../../support/Project.ts"
import { allow, deny } from "../../support/OpenGate.ts"
import { needs, type NeedOptions } from "../../support/needs.ts"
import { liveTest } from "../../support/liveTest.ts"
import { openChecks } from "../../support/OpenChecks.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"

const node = process.execPath
/** Runs the tests in the process of the runner: a second process for each file would take most of the time. */
const runner = [node, "--test", "--test-isolation=none"] as const
const runnerText = runner.join(" ")

/** A program with tests of its own, in the form of Node's runner. */
const files = {
  "add.mjs": "export const add = (a, b) => a + b\n",
  "test/add.test.mjs": `import test from "node:test"
import assert from "node:assert"
import { add } from "../add.mjs"
test("adds", () => assert.strictEqual(add(1, 2), 3))
test("is broken already", () => assert.fail("since long"))
`
}
const testing = {
  run: runnerText,
  from: "package.json",
  kind: "tests",
  narrow: { argv: runner, of: "files" }
} as const
const wrong = { "add.mjs": "export const add = (a, b) => a - b\n" }
const right = { "add.mjs": "export const add = (a, b) => b + a\n" }

/** A report of Maven. */
const report = (name: string) =>
  `<testsuite><testcase name="adds" classname="AddTest"/><testcase name="${name}" classname="AddTest"/></testsuite>`

describe("Checks", () => {
  const both: ReadonlyArray<readonly [string, "auto" | "off", NeedOptions]> = [
    ["in the sandbox", "auto", needs("bwrap")],
    ["without a sandbox", "off", {}]
  ]
  for (const [where, mode, options] of both) {
    liveTest(
      `tells what fails with the changes from what failed before, ${where}`,
      function* () {
        const { log, run } = yield* openChecks({ files, commands: [testing], sandbox: { mode } })
        const [failed] = yield* run(wrong)
        expect(failed?.newFailures).toStrictEqual(["adds"])
        expect(failed?.failures).toStrictEqual(["adds", "is broken already"])
        expect(failed?.exitCode).toBe(1)
        expect(failed?.passedBefore).toBe(false)
        expect(failed !== undefined && passes(failed)).toBe(false)
        expect(failed?.text).toContain("-1 !== 3")
        const [passed] = yield* run(right, 2)
        expect(passed?.newFailures).toStrictEqual([])
        expect(passed !== undefined && passes(passed)).toBe(true)
        const finished = log.events().flatMap((event) => (event.type === "check.finished" ? [event.newFailures] : []))
        expect(finished).toStrictEqual([["adds"], []])
      },
      options
    )
  }

  liveTest("asks about the whole command once, for all of its parts", function* () {
    const approver = scriptedApprover({ calls: ["session"] })
    const { run } = yield* openChecks({ files, commands: [testing], approver: approver.layer })
    yield* run(wrong)
    yield* run(right, 2)
    expect(approver.asked.map(([item]) => item?.targets)).toStrictEqual([[runnerText]])
    expect(approver.asked[0]?.[0]?.details?.at(-1)).toStrictEqual(`Runs now only: ${runnerText} test/add.test.mjs`)
  })

  liveTest("runs nothing that nobody allowed, and says how to allow it", function* () {
    const { answers, run } = yield* openChecks({ files, commands: [testing], approver: Approver.layerDenyAll })
    const [outcome] = yield* run(right)
    expect(outcome !== undefined && passes(outcome)).toBe(false)
    expect(outcome?.exitCode).toBe(null)
    expect(outcome?.notRun).toContain(`--allow "run_command:(no sandbox) ${runnerText}"`)
    expect(yield* answers.denials).toStrictEqual([])
  })

  liveTest("asks a person who denied a check not again", function* () {
    const approver = scriptedApprover({ calls: ["deny"] })
    const { run } = yield* openChecks({ files, commands: [testing], approver: approver.layer })
    const first = yield* run(right)
    const second = yield* run(wrong, 2)
    expect([...first, ...second].every(({ notRun }) => notRun?.startsWith("Permission denied: a person denied"))).toBe(
      true
    )
    expect(approver.asked).toHaveLength(1)
  })

  liveTest("does not run a part that a rule denies, whatever is allowed", function* () {
    const rules = [allow("run_command", `(no sandbox) ${runnerText}`), deny("run_command", `${runnerText} *`)]
    const { run } = yield* openChecks({ files, commands: [testing], rules })
    const [outcome] = yield* run(right)
    expect(outcome?.notRun).toContain("a rule denies")
  })

  liveTest("calls a failure flaky that passes when it is run again", function* () {
    const script = `import { existsSync, writeFileSync } from "node:fs"
if (!existsSync("seen")) { writeFileSync("seen", ""); process.exit(1) }
`
    const { run } = yield* openChecks({ files: { "check.mjs": script }, checks: [[node, "check.mjs"]] })
    const [flaky] = yield* run({ "check.mjs": `${script}// changed\n` })
    expect(flaky?.flaky).toBe(true)
    expect(flaky !== undefined && passes(flaky)).toBe(true)
    expect(flaky?.text).toContain("flaky")
  })

  const testOf = (words: string): string => `${files["test/add.test.mjs"]}test("more", () => ${words})\n`
  const passing = { ...files, "test/add.test.mjs": files["test/add.test.mjs"].replace(/test\("is broken.*\n/, "") }
  const trial: ReadonlyArray<readonly [words: string, failWithout: boolean, text: string]> = [
    ["assert.strictEqual(add(1, 2, 3), 6)", true, "fail, as they should."],
    ["assert.strictEqual(add(2, 2), 4)", false, "pass without the change of the source code: they do not test it."]
  ]
  for (const [words, failWithout, text] of trial) {
    liveTest(`tells whether a new test fails without the change: ${failWithout}`, function* () {
      const { log, run } = yield* openChecks({ files: passing, commands: [testing] })
      const source = "export const add = (...all) => all.reduce((sum, one) => sum + one, 0)\n"
      const test = testOf(words).replace(/test\("is broken.*\n/, "")
      const [outcome] = yield* run({ "add.mjs": source, "test/add.test.mjs": test })
      expect(outcome?.newTests).toStrictEqual({ paths: ["test/add.test.mjs"], failWithout })
      expect(outcome?.exitCode).toBe(0)
      expect(outcome?.text).toContain(text)
      const ran = { passed: 2, failed: 0, skipped: 0, newTests: ["more"] }
      expect(outcome?.ran).toStrictEqual(ran)
      expect(outcome?.text).toContain("(2 passed, 1 of them new: more)")
      const told = log.events().flatMap((event) => (event.type === "check.finished" ? [event.ran] : []))
      expect(told).toStrictEqual([ran])
      expect(outcome?.command).toBe(`${runnerText} test/add.test.mjs`)
      const [alone] = yield* run({ "test/add.test.mjs": test }, 2)
      expect(alone?.newTests).toBeUndefined()
    })
  }

  liveTest(
    "reads what ran from the reports that tests write when they say nothing",
    function* () {
      const script = `import { mkdirSync, writeFileSync } from "node:fs"
mkdirSync("target/surefire-reports", { recursive: true })
writeFileSync("target/surefire-reports/TEST-AddTest.xml", '${report("more")}')
`
      const old = { "target/surefire-reports/TEST-OldTest.xml": report("old") }
      const files = { "pom.xml": "<project/>\n", "check.mjs": script, ...old }
      const { run } = yield* openChecks({ files, checks: [[node, "check.mjs"]], sandbox: { mode: "auto" } })
      const [outcome] = yield* run({ "src/AddTest.java": "class AddTest {\n  @Test void more() {}\n}\n" })
      expect(outcome?.ran).toStrictEqual({ passed: 2, failed: 0, skipped: 0, newTests: ["more"] })
      expect(outcome?.text).toContain("(2 passed, 1 of them new: more)")
    },
    needs("bwrap")
  )

  liveTest("tells nothing of a new test when no test was run", function* () {
    const empty = { run: `${node} none.mjs`, from: "package.json", kind: "tests" } as const
    const script = 'console.log("Ran 0 tests in 0.0s")\n'
    const { run } = yield* openChecks({ files: { ...passing, "none.mjs": script }, commands: [empty] })
    const [outcome] = yield* run({ "add.mjs": "export const add = 1\n", "test/add.test.mjs": "// none\n" })
    expect(outcome?.notRun).toBe("It found no test to run.")
    expect(outcome?.newTests).toBeUndefined()
  })

  liveTest("runs changed tests that the check of the user does not name in a check of their own", function* () {
    const approver = scriptedApprover({ calls: ["session", "session"] })
    const checks = [[...runner, "test/add.test.mjs"] as const]
    const { run } = yield* openChecks({ files: passing, checks, approver: approver.layer })
    const subtract = `import test from "node:test"
import assert from "node:assert"
import { subtract } from "../add.mjs"
test("subtracts", () => assert.strictEqual(subtract(3, 2), 1))
`
    const added = (operator: string) => ({
      "add.mjs": `${passing["add.mjs"]}export const subtract = (a, b) => a ${operator} b\n`,
      "test/subtract.test.mjs": subtract
    })
    const wrongly = yield* run(added("+"))
    expect(wrongly.map(({ command, newFailures }) => [command.split(" ").at(-1), newFailures])).toStrictEqual([
      ["test/add.test.mjs", []],
      ["test/subtract.test.mjs", ["subtracts"]]
    ])
    const rightly = yield* run(added("-"), 2)
    expect(rightly.map(({ newTests }) => newTests)).toStrictEqual([
      undefined,
      { paths: ["test/subtract.test.mjs"], failWithout: true }
    ])
    /** Each turn changes the program, so that the user's command is asked about again; the other one never is. */
    const command = `${runnerText} test/add.test.mjs`
    expect(approver.asked.map(([item]) => item?.targets)).toStrictEqual([[command], [command]])
  })

  liveTest("says so when there is no such program", function* () {
    const { run } = yield* openChecks({ files, checks: ["no-such-program --all"] })
    const [outcome] = yield* run(right)
    expect(outcome?.notRun).toContain('There is no program "no-such-program"')
  })

  liveTest("does not repeat a check when a run is resumed, nor its event", function* () {
    const file = yield* makeJournal
    const count = `import { appendFileSync } from "node:fs"\nappendFileSync("count.txt", "x")\n`
    const texts = { "a.txt": "b\n" }
    const project = yield* makeProject({ "check.mjs": count, "a.txt": "a\n" })
    const session = inSession(
      file,
      Effect.gen(function* () {
        const activities = Layer.succeed(Activities, yield* Activities)
        const { log, run } = yield* openChecks({ project, checks: [[node, "check.mjs"]], activities })
        const outcomes = yield* run(texts)
        return { outcomes, events: log.events().map(({ type }) => type) }
      })
    )
    const first = yield* session
    const second = yield* session
    expect(first.events.slice(-2)).toStrictEqual(["check.started", "check.finished"])
    expect(second).toStrictEqual({ outcomes: first.outcomes, events: [] })
    expect(readFileSync(`${project}/count.txt`, "utf8")).toBe("x")
  })

  liveTest("runs a check without the changes once, as long as the project stays as it is", function* () {
    const script = `import { appendFileSync, readFileSync } from "node:fs"
const text = readFileSync("a.txt", "utf8")
appendFileSync(process.argv[2], text)
process.exit(1)
`
    const seen = `${yield* makeFolder}/seen.txt`
    const { run } = yield* openChecks({
      files: { "check.mjs": script, "a.txt": "base " },
      checks: [[node, "check.mjs", seen]],
      checkSeconds: 60
    })
    yield* run({ "a.txt": "one " })
    yield* run({ "a.txt": "two " }, 2)
    expect(readFileSync(seen, "utf8")).toBe("one base two ")
  })

  liveTest("knows no commands when checks are off", function* () {
    const { checks } = yield* openChecks({ files, checks: false, commands: [testing] })
    expect(yield* checks.commandsFor(["add.mjs"])).toStrictEqual([])
  })
})
