import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { waitForProcesses } from "../../support/ProcessTable.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { background, canary, open, testInPlaces } from "../../support/CommandPlaces.ts"

describe("run_command", () => {
  testInPlaces("returns exit code and output in the order in which it was written", (given) =>
    Effect.gen(function* () {
      const { command } = yield* open(given)
      const script = "echo one; echo two >&2; echo three; exit 3"
      const { data } = yield* command(["sh", "-c", script])
      assert.deepStrictEqual(data, { exit_code: 3, output: "one\ntwo\nthree\n" })
      assert.deepStrictEqual((yield* command(["true"])).data, { exit_code: 0, output: "" })
      assert.deepInclude((yield* command(["sh", "-c", "kill -KILL $$"])).data, { exit_code: 137 })
    })
  )

  testInPlaces("hands every word to the program as it is, and runs no shell's own commands", (given) =>
    Effect.gen(function* () {
      const { command, root } = yield* open(given)
      const words = "$(id) `id` ; && | > out.txt * $HOME -rf --pre=x '\" <(id)".split(" ").concat("a\nb", "")
      const { data } = yield* command(["printf", "[%s]", ...words])
      assert.deepStrictEqual(data, { exit_code: 0, output: words.map((word) => `[${word}]`).join("") })
      for (const builtIn of ["exec", ".", "source", "eval"]) {
        assert.strictEqual((yield* command([builtIn, "echo injected"])).error_type, "not_found")
      }
      assert.deepStrictEqual(yield* (yield* FileSystem.FileSystem).readDirectory(root), [])
    })
  )

  testInPlaces("gives the program few variables, no input and no terminal", (given) =>
    Effect.gen(function* () {
      const environment = {
        PATH: process.env["PATH"],
        LANG: "C.UTF-8",
        TERM: "xterm-256color",
        CI: "yes",
        AWS_SECRET_ACCESS_KEY: "env-canary",
        GITHUB_TOKEN: "env-canary",
        NODE_OPTIONS: "--env-canary",
        LD_PRELOAD: "/env-canary.so",
        BASH_ENV: "/env-canary"
      }
      const commands = { ...given.commands, environment, named: ["CI", "NODE_OPTIONS"] }
      const { command } = yield* open({ commands })
      const output = JSON.stringify((yield* command(["env"])).data)
      assert.notInclude(output, "env-canary")
      for (const told of ["CI=yes", "TERM=dumb", "NO_COLOR=1", "AI_AGENT=task-conductor"]) assert.include(output, told)
      assert.deepStrictEqual((yield* command(["cat"])).data, { exit_code: 0, output: "" })
      const tty = JSON.stringify((yield* command(["sh", "-c", "(echo x > /dev/tty) 2>&1; tty"])).data)
      assert.include(tty, "not a tty")
      assert.notInclude(tty, "/dev/pts")
    })
  )

  testInPlaces("leaves nothing running that the command left behind", (given) =>
    Effect.gen(function* () {
      const mark = canary("behind")
      const { command } = yield* open(given)
      const { data } = yield* command(background(mark, "echo done"))
      assert.deepStrictEqual(data, { exit_code: 0, output: "done\n" })
      yield* waitForProcesses(mark, (count) => count === 0)
    })
  )

  liveTest("runs in a folder of the project and nowhere else", function* () {
    const fs = yield* FileSystem.FileSystem
    const { command, root } = yield* open({ files: { "src/a.txt": "x" } })
    yield* fs.symlink("/etc", `${root}/link`)
    assert.deepStrictEqual((yield* command(["pwd"], { cwd: "src" })).data, { exit_code: 0, output: `${root}/src\n` })
    for (const [cwd, why] of [
      ["..", `The folder ${root.slice(0, root.lastIndexOf("/"))} is outside the project.`],
      ["/etc", "The folder /etc is outside the project."],
      ["link", "The folder /etc is outside the project."],
      ["missing", `There is no folder ${root}/missing.`],
      ["src/a.txt", `There is no folder ${root}/src/a.txt.`]
    ] as const) {
      const { error_message, error_type } = yield* command(["pwd"], { cwd })
      const message = `${why} Leave cwd out, or name a folder of the project.`
      assert.deepStrictEqual([error_type, error_message], ["validation_failed", message])
    }
  })

  liveTest("says what cannot be a command before anybody is asked", function* () {
    const approver = scriptedApprover({})
    const { command } = yield* open({ approver: approver.layer })
    const rows: ReadonlyArray<[argv: ReadonlyArray<string>, type: string, message: string]> = [
      [
        ["npm test"],
        "not_found",
        'There is no program "npm test". Give every word as an element of its own: ["npm","test"].'
      ],
      [
        ["no-such-program", "x"],
        "not_found",
        'There is no program "no-such-program". Name a program that is installed'
      ],
      [["./no-such-file"], "not_found", 'There is no program "./no-such-file". Name a program that is installed'],
      [["a\0b"], "validation_failed", "Element 0 of argv holds a NUL character or half a character. Remove it."],
      [["a", "x".repeat(40_000)], "validation_failed", "The command has 40003 bytes; at most 32768 are taken."],
      [[], "validation_failed", "The arguments of run_command do not fit: argv[0] is missing. Add it."]
    ]
    for (const [argv, type, message] of rows) {
      const { error_message, error_type } = yield* command(argv)
      assert.strictEqual(error_type, type)
      assert.include(error_message ?? "", message)
    }
    assert.deepStrictEqual(approver.asked, [])
  })

  liveTest(
    "shows every word, the folder and the sandbox, and runs only what was allowed",
    function* () {
      const approver = scriptedApprover({ calls: ["once", "deny"] })
      const { command, root } = yield* open({ approver: approver.layer })
      const long = `a${" ".repeat(200)}; rm -r x`
      assert.isTrue((yield* command(["printf", "%s\n", long])).success)
      assert.strictEqual((yield* command(["true"])).error_type, "permission_denied")
      const [first, second] = approver.asked.flat()
      assert.deepStrictEqual([first?.risk, first?.targets], ["high", [`printf "%s\\n" "${long}"`]])
      assert.deepStrictEqual(first?.details, [
        "Program: printf",
        'Argument 1: "%s\\n"',
        `Argument 2: "${long}"`,
        `Folder: ${root}`,
        "Sandbox: yes: no network, writes only in the project, your home folder is hidden"
      ])
      assert.deepStrictEqual(second?.targets, ["true"])
    },
    needs("bwrap")
  )
})
