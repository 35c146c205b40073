import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { waitForProcesses } from "../../support/ProcessTable.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { open, places, canary, background } from "../../support/CommandPlaces.ts"

describe("run_command", () => {
  for (const [where, given, needed] of places) {
    liveTest(
      `returns exit code and output in the order in which it was written, ${where}`,
      () =>
        Effect.gen(function* () {
          const { command } = yield* open(given)
          const script = "echo one; echo two >&2; echo three; exit 3"
          assert.deepStrictEqual((yield* command(["sh", "-c", script])).data, {
            exit_code: 3,
            output: "one\ntwo\nthree\n"
          })
          assert.deepStrictEqual((yield* command(["true"])).data, { exit_code: 0, output: "" })
          assert.deepInclude((yield* command(["sh", "-c", "kill -KILL $$"])).data, { exit_code: 137 })
        }),
      needed
    )

    liveTest(
      `hands every word to the program as it is, ${where}`,
      () =>
        Effect.gen(function* () {
          const { command, root } = yield* open(given)
          const words = [
            "$(id)",
            "`id`",
            ";",
            "&&",
            "|",
            ">",
            "out.txt",
            "*",
            "$HOME",
            "-rf",
            "--pre=x",
            "a\nb",
            "",
            "'\"",
            "<(id)"
          ]
          const { data } = yield* command(["printf", "[%s]", ...words])
          assert.deepStrictEqual(data, { exit_code: 0, output: words.map((word) => `[${word}]`).join("") })
          assert.deepStrictEqual(yield* (yield* FileSystem.FileSystem).readDirectory(root), [])
        }),
      needed
    )

    liveTest(
      `runs no shell's own commands, ${where}`,
      () =>
        Effect.gen(function* () {
          const { command } = yield* open(given)
          for (const builtIn of ["exec", ".", "source"]) {
            assert.strictEqual((yield* command([builtIn, "echo injected"])).error_type, "not_found")
          }
          assert.strictEqual((yield* command(["eval", "echo injected"])).error_type, "not_found")
        }),
      needed
    )

    liveTest(
      `gives the program few variables, no input and no terminal, ${where}`,
      () =>
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
          const { command } = yield* open({
            commands: { ...given.commands, environment, named: ["CI", "NODE_OPTIONS"] }
          })
          const { data } = yield* command(["env"])
          const output = JSON.stringify(data)
          assert.notInclude(output, "env-canary")
          assert.include(output, "CI=yes")
          for (const told of ["TERM=dumb", "NO_COLOR=1", "AI_AGENT=task-conductor"]) assert.include(output, told)
          assert.deepStrictEqual((yield* command(["cat"])).data, { exit_code: 0, output: "" })
          const { data: tty } = yield* command(["sh", "-c", "(echo x > /dev/tty) 2>&1; tty"])
          assert.include(JSON.stringify(tty), "not a tty")
          assert.notInclude(JSON.stringify(tty), "/dev/pts")
        }),
      needed
    )

    liveTest(
      `leaves nothing running that the command left behind, ${where}`,
      () =>
        Effect.gen(function* () {
          const mark = canary("behind")
          const { command } = yield* open(given)
          assert.deepStrictEqual((yield* command(background(mark, "echo done"))).data, {
            exit_code: 0,
            output: "done\n"
          })
          yield* waitForProcesses(mark, (count) => count === 0)
        }),
      needed
    )
  }

  liveTest("runs in a folder of the project and nowhere else", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { command, root } = yield* open({ files: { "src/a.txt": "x" } })
      yield* fs.symlink("/etc", `${root}/link`)
      assert.deepStrictEqual((yield* command(["pwd"], { cwd: "src" })).data, { exit_code: 0, output: `${root}/src\n` })
      const failures = [
        yield* command(["pwd"], { cwd: ".." }),
        yield* command(["pwd"], { cwd: "/etc" }),
        yield* command(["pwd"], { cwd: "link" }),
        yield* command(["pwd"], { cwd: "missing" }),
        yield* command(["pwd"], { cwd: "src/a.txt" })
      ]
      const cure = "Leave cwd out, or name a folder of the project."
      assert.deepStrictEqual(
        failures.map(({ error_message, error_type }) => [error_type, error_message]),
        [
          ["validation_failed", `The folder ${root.slice(0, root.lastIndexOf("/"))} is outside the project. ${cure}`],
          ["validation_failed", `The folder /etc is outside the project. ${cure}`],
          ["validation_failed", `The folder /etc is outside the project. ${cure}`],
          ["validation_failed", `There is no folder ${root}/missing. ${cure}`],
          ["validation_failed", `There is no folder ${root}/src/a.txt. ${cure}`]
        ]
      )
    })
  )

  liveTest("says what cannot be a command before anybody is asked", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({})
      const { command } = yield* open({ approver: approver.layer })
      const failures = [
        yield* command(["npm test"]),
        yield* command(["no-such-program", "x"]),
        yield* command(["./no-such-file"]),
        yield* command(["a\0b"]),
        yield* command(["a", "x".repeat(40_000)]),
        yield* command([])
      ]
      assert.deepStrictEqual(
        failures.map(({ error_message, error_type }) => [error_type, error_message]),
        [
          ["not_found", 'There is no program "npm test". Give every word as an element of its own: ["npm","test"].'],
          ["not_found", 'There is no program "no-such-program". Name a program that is installed, or give its path.'],
          ["not_found", 'There is no program "./no-such-file". Name a program that is installed, or give its path.'],
          ["validation_failed", "Element 0 of argv holds a NUL character or half a character. Remove it."],
          ["validation_failed", "The command has 40003 bytes; at most 32768 are taken. Put long text into a file."],
          ["validation_failed", "The arguments of run_command do not fit: argv[0] is missing. Add it."]
        ]
      )
      assert.deepStrictEqual(approver.asked, [])
    })
  )

  liveTest(
    "shows every word, the folder and the sandbox, and runs only what was allowed",
    () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["once", "deny"] })
        const { command, root } = yield* open({ approver: approver.layer })
        const argv = ["printf", "%s\n", `a${" ".repeat(200)}; rm -r x`]
        assert.isTrue((yield* command(argv)).success)
        assert.strictEqual((yield* command(["true"])).error_type, "permission_denied")
        const [first, second] = approver.asked.flat()
        assert.deepStrictEqual(
          [first?.risk, first?.targets, first?.details],
          [
            "high",
            [`printf "%s\\n" "a${" ".repeat(200)}; rm -r x"`],
            [
              "Program: printf",
              'Argument 1: "%s\\n"',
              `Argument 2: "a${" ".repeat(200)}; rm -r x"`,
              `Folder: ${root}`,
              "Sandbox: yes: no network, writes only in the project, your home folder is hidden"
            ]
          ]
        )
        assert.deepStrictEqual(second?.targets, ["true"])
      }),
    needs("bwrap")
  )

  liveTest("follows rules for the words of the command", () =>
    Effect.gen(function* () {
      const { answers, command } = yield* open({
        approver: Approver.layerDenyAll,
        rules: [
          { verdict: "allow", tool: "run_command", pattern: "echo *" },
          // Where the machine has no sandbox, a rule has to say so.
          { verdict: "allow", tool: "run_command", pattern: "(no sandbox) echo *" },
          { verdict: "deny", tool: "run_command", pattern: "echo secret" }
        ]
      })
      assert.isTrue((yield* command(["echo", "hi"])).success)
      assert.strictEqual((yield* command(["echo", "secret", "x"])).error_type, "permission_denied")
      assert.strictEqual((yield* command(["true"])).error_type, "permission_denied")
      const denials = yield* answers.denials
      assert.lengthOf(denials, 2)
      assert.match(denials[1]?.flags ?? "", /^--allow "run_command:(?:\(no sandbox\) )?true"$/)
    })
  )
})
