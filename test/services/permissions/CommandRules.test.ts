/**
 * What a rule and an answer for a command cover: its folder, its sandbox, and what its scripts say, through the real tools
 * and the real gate. The commands are real; a rule that should not cover one leads to a question, and the answer is no.
 */
import { assert, describe } from "@effect/vitest"
import * as FileSystem from "effect/FileSystem"
import type { CallList } from "../../../src/domain/permissions/ApprovalItem.ts"
import type { PreparedCall } from "../../../src/domain/tools/ToolCall.ts"
import { textHash } from "../../../src/services/files/Hash.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { liveTest } from "../../support/liveTest.ts"
import type { TestBody } from "../../support/testBody.ts"
import { needs } from "../../support/needs.ts"
import { openTools } from "../../support/OpenTools.ts"
import { makeProject, putFiles } from "../../support/Project.ts"
import { openGate, prepared, writing } from "../../support/OpenGate.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { allow, anyWrite, npm, open, testWrittenScripts } from "../../support/WrittenScripts.ts"
import { approveCalls } from "../../../src/services/permissions/Gate.ts"

testWrittenScripts("main")

/** A test that runs commands in the sandbox. */
const sandboxTest = (name: string, body: TestBody<unknown, unknown>) => liveTest(name, body, needs("bwrap"))

describe("a rule for a command", () => {
  sandboxTest("covers it in the folder and in the sandbox that it was given for", function* () {
    const files = { "a/x.txt": "", "b/x.txt": "" }
    const rules = ["echo *", "(a) true", "(no sandbox) pwd"].map((pattern) => allow("run_command", pattern))
    const { asked, command } = yield* open({ files, rules }, ["deny", "deny", "deny"])
    assert.deepStrictEqual(
      [yield* command(["echo", "hi"]), yield* command(["true"], "a"), yield* command(["pwd"])],
      ["ran", "ran", "ran"]
    )
    for (const [argv, cwd] of [
      [["echo", "hi"], "a"],
      [["true"], "b"],
      [["true"], "."]
    ] as const) {
      assert.include(yield* command(argv, cwd), "denied", cwd)
    }
    assert.lengthOf(asked(), 3)
  })

  liveTest("is suggested for the place where the command would run", function* () {
    const commands = { sandbox: { mode: "off" as const } }
    const approver = Approver.layerDenyAll
    const { answers, run } = yield* openTools({ commands, files: { "a b/x": "" }, approver })
    yield* run("run_command", { argv: ["echo", "*"], cwd: "a b" })
    const [denied] = yield* answers.denials
    assert.strictEqual(denied?.flags, '--allow "run_command:("a b", no sandbox) echo "\\*""')
  })

  sandboxTest("does not cover it any more when another command has rewritten the script, and says so", function* () {
    const files = { "x.sh": "true\n", "gen.sh": "echo echo evil > x.sh\n", "other.sh": "true\n" }
    const rules = [allow("run_command", "sh *")]
    const { answers, run } = yield* openTools({ files, rules, approver: Approver.layerDenyAll })
    const ends: Array<boolean> = []
    for (const name of ["x.sh", "gen.sh", "x.sh", "other.sh"]) {
      ends.push((yield* run("run_command", { argv: ["sh", name] })).success)
    }
    const why = "runs x.sh, which changed after a rule allowed it. Look at it and start again."
    const denials = (yield* answers.denials).map(({ message }) => message)
    assert.deepStrictEqual(ends, [true, true, false, true])
    assert.deepStrictEqual(denials, [`Permission denied: run_command on sh x.sh ${why}`])
  })

  for (const [name, link, target, argv] of [
    ["a link to it", "run.sh", "a/x.sh", ["sh", "run.sh"]],
    ["a link to its folder", "now", "a", ["sh", "now/x.sh"]]
  ] as const) {
    sandboxTest(`does not cover it any more when ${name} was turned to a file that was always there`, function* () {
      const fs = yield* FileSystem.FileSystem
      const project = yield* makeProject({ "a/x.sh": "true\n", "b/x.sh": "echo evil\n" })
      yield* fs.symlink(`${project}/${target}`, `${project}/${link}`)
      const { asked, command } = yield* open({ project, rules: [allow("run_command", "**")] }, ["deny"])
      assert.strictEqual(yield* command(argv), "ran")
      yield* fs.remove(`${project}/${link}`)
      yield* fs.symlink(`${project}/${target.replace("a", "b")}`, `${project}/${link}`)
      assert.include(yield* command(argv), "denied")
      assert.include(asked()[0]?.warnings?.join(" ") ?? "", link)
    })
  }

  sandboxTest("covers it when the run has written only what it reads", function* () {
    const files = { "src/a.ts": "a", "package.json": npm("true") }
    const { asked, command, write } = yield* open({ files, rules: [allow("run_command", "**"), anyWrite] })
    yield* write("src/a.ts", "b")
    yield* write("docs/x.sh", "c")
    for (const argv of [
      ["wc", "-l", "src/a.ts"],
      ["npm", "test"],
      ["cat", "docs/x.sh"]
    ]) {
      assert.strictEqual(yield* command(argv), "ran", argv.join(" "))
    }
    assert.lengthOf(asked(), 0)
  })
})

describe("the answer session for a command", () => {
  liveTest("covers it while its scripts and its folder are the same", function* () {
    const { asked, command, root } = yield* open(
      { files: { "x.sh": "true", "a/x.sh": "true" }, commands: { sandbox: { mode: "off" } } },
      ["session", "session", "session", "session"]
    )
    const argv = ["sh", "x.sh"]
    yield* command(argv)
    yield* command(argv)
    assert.lengthOf(asked(), 1)
    yield* putFiles(root, { "x.sh": "echo changed" })
    yield* command(argv)
    assert.lengthOf(asked(), 2)
    yield* command(argv, "a")
    assert.lengthOf(asked(), 3)
    yield* putFiles(root, { "x.sh": "true" })
    yield* command(argv)
    assert.lengthOf(asked(), 3)
  })
})

const starting = (content: string | null): PreparedCall => {
  const scripts = [{ path: "/p/x.sh", hash: content === null ? null : textHash(content) }]
  const sandbox = { cwd: "/p", sandboxed: true, sandbox: "yes" }
  const access = { _tag: "RunCommand", argv: ["sh", "x.sh"], ...sandbox, scripts } as const
  return prepared("run_command", "high", [access], { argv: "sh x.sh" })
}
const stepOf = (...calls: ReadonlyArray<PreparedCall>): CallList => ({
  title: "Step",
  planKey: "plan",
  tasks: [{ task: "T", gatedBy: "risk", calls }]
})

describe("an approved step", () => {
  liveTest("covers a command with the script that was shown, or that a write beside it brings", function* () {
    const approver = scriptedApprover({ steps: ["step"], calls: ["deny", "deny"] })
    const { authorize, denial, gate } = yield* openGate({ approver: approver.layer })
    const write = writing("/p/x.sh", "shown")
    yield* approveCalls(gate, stepOf(write, starting("before")))
    yield* authorize(starting("before"))
    yield* authorize(write)
    yield* authorize(starting("shown"))
    yield* denial(starting("something else"))
    yield* denial(starting(null))
  })
})
