import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { join } from "node:path"
import { CurrentCopy, makeWorkingCopy } from "../../../src/services/files/WorkingCopy.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { openTools } from "../../support/OpenTools.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { makeFolder, makeProject } from "../../support/Project.ts"
import { keeping, openCopy as open, testWay } from "../../support/copyWays.ts"

testWay("overlay", "main")

describe("an overlay", needs("bwrap", "overlay"), () => {
  liveTest("that worked is not tried again in the same process", function* () {
    yield* (yield* open()).commands.copies
    const { commands, scratch } = yield* open()
    const fs = yield* FileSystem.FileSystem
    assert.strictEqual((yield* commands.copies).mechanism, "overlay")
    assert.isFalse(yield* fs.exists(scratch))
  })
})

describe("programs in a working copy", needs("bwrap"), () => {
  liveTest("a script and a folder that are only proposed can be run", function* () {
    const { call, propose } = yield* open()
    propose("tools/run.sh", "cat run.sh | head -c 3")
    const { data } = yield* call({ argv: ["sh", "run.sh"], cwd: "tools" })
    assert.deepStrictEqual(data, { exit_code: 0, output: "cat" })
  })

  liveTest("a rule does not cover a script that the task changes", function* () {
    const files = { "check.sh": "true\n" }
    const { commands, copy, propose } = yield* open({ files })
    const scripts = commands.canonical({ _tag: "RunCommand", argv: ["sh", "check.sh"] }).pipe(
      Effect.map((command) => command.scripts?.map(({ hash }) => hash)),
      Effect.provideService(CurrentCopy, copy)
    )
    const before = yield* scripts
    propose("check.sh", "false\n")
    const after = yield* scripts
    assert.strictEqual(after?.length, 1)
    assert.notDeepEqual(after, before)
  })

  liveTest("a question says that a command writes into the copy, or outside of a task into the project", function* () {
    const approver = scriptedApprover({ calls: ["once", "once"] })
    const scratch = yield* makeFolder
    const { run } = yield* openTools({ commands: { scratch }, approver: approver.layer })
    const command = run("run_command", { argv: ["true"] })
    yield* Effect.provideService(command, CurrentCopy, makeWorkingCopy())
    yield* command
    const words = approver.asked.flat().map(({ details = [], words }) => `${words?.consequence} ${details.at(-1)}`)
    for (const [index, where] of ["a copy of the project", "the project"].entries()) {
      const what = `no network, writes only in ${where}, your home folder is hidden`
      assert.include(words[index], `Runs in the sandbox: ${what}`)
      assert.include(words[index], `Sandbox: yes: ${what}`)
    }
  })

  liveTest("paths with commas and colons are no options", function* () {
    const fs = yield* FileSystem.FileSystem
    const project = join(yield* makeFolder, "a,b:c\\ d")
    const scratch = join(yield* makeFolder, "x,y:z")
    yield* fs.makeDirectory(project)
    const { run, texts } = yield* open({ project, commands: { scratch } })
    yield* keeping(project, run("sh", "-c", "echo 1 > 'n,:'"))
    assert.deepStrictEqual(texts(), { "n,:": "1\n" })
  })
})

describe("where no copy can be made", () => {
  liveTest(
    "nothing is written into a project that holds the folder for copies",
    function* () {
      const project = yield* makeProject({ "a.txt": "a" })
      const { commands } = yield* openTools({ project, commands: { scratch: join(project, "state/copies") } })
      const { mechanism, words } = yield* keeping(project, commands.copies)
      assert.deepStrictEqual([mechanism, words.endsWith("where copies would lie, is in the project")], ["none", true])
    },
    needs("bwrap")
  )
})

describe("without a sandbox", () => {
  liveTest("commands run in the project while nothing is proposed, and not at all afterwards", function* () {
    const fs = yield* FileSystem.FileSystem
    const { call, commands, propose, root, script } = yield* open({ commands: { sandbox: { mode: "off" } } })
    const { mechanism, words } = yield* commands.copies
    assert.strictEqual(mechanism, "none")
    assert.strictEqual(words, "there is no sandbox (it is switched off in your configuration)")
    yield* script("echo 1 > a.txt")
    assert.strictEqual(yield* fs.readFileString(`${root}/a.txt`), "1\n")
    propose("b.txt", "b")
    const { error_message } = yield* call({ argv: ["sh", "-c", "echo 2 > a.txt"] })
    assert.include(error_message ?? "", "cannot see what this task proposes: there is no sandbox")
    assert.strictEqual(yield* fs.readFileString(`${root}/a.txt`), "1\n")
  })
})
