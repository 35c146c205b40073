/**
 * What a rule and an answer for a command cover: its folder, its sandbox, and what its scripts say, through the real tools
 * and the real gate. The commands are real; a rule that should not cover one leads to a question, and the answer is no.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { Rule } from "../../../src/domain/permissions/Permission.ts"
import type { CallList } from "../../../src/domain/permissions/ApprovalItem.ts"
import type { PreparedCall } from "../../../src/domain/tools/ToolCall.ts"
import { textHash } from "../../../src/services/files/Hash.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { openTools, type OpenTools } from "../../support/OpenTools.ts"
import { makeFolder, makeProject, putFiles } from "../../support/Project.ts"
import { inTask, openGate, prepared, writing } from "../../support/OpenGate.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { questionOfCall } from "../../../src/services/permissions/GateQuestion.ts"
import { approveCalls } from "../../../src/services/permissions/Gate.ts"

const allow = (tool: string, pattern: string): Rule => ({ verdict: "allow", tool, pattern })
const anyWrite = allow("write_file", "**")

const open = Effect.fnUntraced(function* (given: OpenTools, answers: ReadonlyArray<"once" | "session" | "deny"> = []) {
  const approver = scriptedApprover({ calls: answers })
  const opened = yield* openTools({ ...given, approver: approver.layer })
  const command = (argv: ReadonlyArray<string>, cwd?: string) =>
    Effect.map(
      opened.run("run_command", { argv: [...argv], ...(cwd === undefined ? {} : { cwd }) }),
      ({ error_message, success }) => (success ? "ran" : (error_message ?? ""))
    )
  const write = (path: string, content: string) => opened.run("write_file", { path, content })
  return { ...opened, command, write, asked: () => approver.asked.flat() }
})

/** A folder with an npm that does nothing, quickly. */
const npmInShort = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* makeFolder
  yield* putFiles(folder, { npm: "#!/bin/sh\n" })
  yield* fs.chmod(`${folder}/npm`, 0o755)
  return folder
})

const npm = (test: string) => JSON.stringify({ name: "x", version: "1.0.0", scripts: { test } })

describe("a rule for a command", () => {
  liveTest(
    "covers it in the folder and in the sandbox that it was given for",
    () =>
      Effect.gen(function* () {
        const files = { "a/x.txt": "", "b/x.txt": "" }
        const rules = [
          allow("run_command", "echo *"),
          allow("run_command", "(a) true"),
          allow("run_command", "(no sandbox) pwd")
        ]
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
      }),
    needs("bwrap")
  )

  liveTest("does not cover it without the sandbox, unless it says so", () =>
    Effect.gen(function* () {
      const commands = { sandbox: { mode: "off" as const } }
      const rules = [
        allow("run_command", "true"),
        allow("run_command", "**"),
        { verdict: "allow" as const, tool: "run_command" },
        allow("run_command", "(no sandbox) echo *")
      ]
      const { asked, command } = yield* open({ commands, rules }, ["deny"])
      assert.strictEqual(yield* command(["echo", "hi"]), "ran")
      assert.include(yield* command(["true"]), "denied")
      assert.lengthOf(asked(), 1)
    })
  )

  liveTest("is suggested for the place where the command would run", () =>
    Effect.gen(function* () {
      const commands = { sandbox: { mode: "off" as const } }
      const { answers, run } = yield* openTools({
        commands,
        files: { "a b/x": "" },
        approver: Approver.layerDenyAll
      })
      yield* run("run_command", { argv: ["echo", "*"], cwd: "a b" })
      const [denied] = yield* answers.denials
      assert.strictEqual(denied?.flags, '--allow "run_command:("a b", no sandbox) echo "\\*""')
    })
  )

  interface Variant {
    readonly name: string
    readonly files: Readonly<Record<string, string>>
    readonly argv: ReadonlyArray<string>
    readonly cwd?: string
    readonly written: string
    readonly content?: string
  }
  const variants: ReadonlyArray<Variant> = [
    { name: "the script itself", files: { "x.sh": "true" }, argv: ["sh", "x.sh"], written: "x.sh" },
    { name: "a program by its path", files: { "bin/x": "#!/bin/sh\ntrue\n" }, argv: ["./bin/x"], written: "bin/x" },
    {
      name: "a manifest",
      files: { "package.json": npm("true") },
      argv: ["npm", "test"],
      written: "package.json",
      content: npm("echo")
    },
    {
      name: "a manifest of a folder above",
      files: { "package.json": npm("true"), "a/b": "" },
      argv: ["npm", "test"],
      cwd: "a",
      written: "package.json",
      content: npm("echo")
    },
    {
      name: "a script that a manifest names",
      files: { "package.json": npm("sh t.sh"), "t.sh": "true" },
      argv: ["npm", "test"],
      written: "t.sh"
    },
    {
      name: "a script that another one starts",
      files: { "x.sh": "sh lib/y.sh", "lib/y.sh": "true" },
      argv: ["sh", "x.sh"],
      written: "lib/y.sh"
    },
    {
      name: "a script inside an argument",
      files: { "x.sh": "true" },
      argv: ["sh", "-c", "true && sh x.sh"],
      written: "x.sh"
    },
    {
      name: "a script behind another program",
      files: { "x.sh": "true" },
      argv: ["env", "sh", "./x.sh"],
      written: "x.sh"
    },
    {
      name: "a script that an option names",
      files: { "s.cjs": "", "a.cjs": "" },
      argv: ["node", "--require=./s.cjs", "a.cjs"],
      written: "s.cjs"
    },
    { name: "a script behind a link", files: { "real.sh": "true" }, argv: ["sh", "link.sh"], written: "real.sh" },
    { name: "a script that was not there", files: {}, argv: ["sh", "new.sh"], written: "new.sh" },
    {
      name: "settings of the package manager",
      files: { "package.json": npm("true"), ".npmrc": "" },
      argv: ["npm", "test"],
      written: ".npmrc"
    },
    {
      name: "a makefile that an option names",
      files: { "ci.mk": "all:\n" },
      argv: ["make", "-f", "ci.mk"],
      written: "ci.mk",
      content: "all: ; true"
    },
    {
      name: "a part that a makefile includes",
      files: { Makefile: "include parts/a.mk\nall:\n", "parts/a.mk": "" },
      argv: ["make", "all"],
      written: "parts/a.mk",
      content: "all: ; true"
    },
    {
      name: "the manifest in the folder of --prefix",
      files: { "web/package.json": npm("true") },
      argv: ["npm", "--prefix", "web", "test"],
      written: "web/package.json",
      content: npm("echo")
    },
    {
      name: "the manifest of a workspace of -w",
      files: { "package.json": npm("true"), "packages/a/package.json": npm("true") },
      argv: ["npm", "-w", "a", "test"],
      written: "packages/a/package.json",
      content: npm("echo")
    },
    {
      name: "a script of one of all workspaces",
      files: { "package.json": npm("true"), "packages/a/package.json": npm("sh t.sh"), "packages/a/t.sh": "true" },
      argv: ["npm", "test", "--workspaces"],
      written: "packages/a/t.sh"
    },
    {
      name: "the manifest of a workspace that a script turns to",
      files: { "package.json": npm("npm --workspace=a test"), "packages/a/package.json": npm("true") },
      argv: ["npm", "test"],
      written: "packages/a/package.json",
      content: npm("echo")
    }
  ]
  for (const { argv, content = "echo evil", cwd, files, name, written } of variants) {
    liveTest(
      `does not cover it any more when the run has written ${name}`,
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const pattern = `${cwd === undefined ? "" : `(${cwd}) `}**`
          const rules = [allow("run_command", pattern), anyWrite, allow("write_file", ".npmrc")]
          const commands = { environment: { PATH: `${yield* npmInShort}:${process.env["PATH"] ?? ""}` } }
          const { asked, command, root, write } = yield* open({ files, rules, commands }, ["once", "deny"])
          if (name.includes("link")) yield* fs.symlink("real.sh", `${root}/link.sh`)
          if (argv[0] === "./bin/x") yield* fs.chmod(`${root}/bin/x`, 0o755)
          if (Object.keys(files).length > 0) assert.strictEqual(yield* command(argv, cwd), "ran")
          yield* write(written, content)
          yield* command(argv, cwd)
          const item = asked().findLast((one) => one.tool === "run_command")
          assert.match(item?.warnings?.join(" ") ?? "", /^It runs .*, which changed after a rule allowed/)
          assert.include(item?.warnings?.join(" ") ?? "", `${written}, which changed`)
        }),
      needs("bwrap")
    )
  }

  liveTest(
    "does not cover it any more when another command has rewritten the script, and says so where nobody can be asked",
    () =>
      Effect.gen(function* () {
        const files = { "x.sh": "true\n", "gen.sh": "echo echo evil > x.sh\n", "other.sh": "true\n" }
        const rules = [allow("run_command", "sh *")]
        const { answers, run } = yield* openTools({ files, rules, approver: Approver.layerDenyAll })
        const ends: Array<boolean> = []
        for (const name of ["x.sh", "gen.sh", "x.sh", "other.sh"]) {
          ends.push((yield* run("run_command", { argv: ["sh", name] })).success)
        }
        const why =
          "Permission denied: run_command on sh x.sh runs x.sh, which changed after a rule allowed it. Look at it and start again."
        assert.deepStrictEqual(ends, [true, true, false, true])
        assert.deepStrictEqual(
          (yield* answers.denials).map(({ message }) => message),
          [why]
        )
      }),
    needs("bwrap")
  )

  for (const [name, link, target, argv] of [
    ["a link to it", "run.sh", "a/x.sh", ["sh", "run.sh"]],
    ["a link to its folder", "now", "a", ["sh", "now/x.sh"]]
  ] as const) {
    liveTest(
      `does not cover it any more when ${name} was turned to a file that was always there`,
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const project = yield* makeProject({ "a/x.sh": "true\n", "b/x.sh": "echo evil\n" })
          yield* fs.symlink(`${project}/${target}`, `${project}/${link}`)
          const { asked, command } = yield* open({ project, rules: [allow("run_command", "**")] }, ["deny"])
          assert.strictEqual(yield* command(argv), "ran")
          yield* fs.remove(`${project}/${link}`)
          yield* fs.symlink(`${project}/${target.replace("a", "b")}`, `${project}/${link}`)
          assert.include(yield* command(argv), "denied")
          assert.include(asked()[0]?.warnings?.join(" ") ?? "", link)
        }),
      needs("bwrap")
    )
  }

  liveTest(
    "covers it when the run has written only what it reads",
    () =>
      Effect.gen(function* () {
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
      }),
    needs("bwrap")
  )
})

describe("the answer session for a command", () => {
  liveTest("covers it while its scripts and its folder are the same", () =>
    Effect.gen(function* () {
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
  )
})

const starting = (content: string | null): PreparedCall => {
  const scripts = [{ path: "/p/x.sh", hash: content === null ? null : textHash(content) }]
  const access = {
    _tag: "RunCommand",
    argv: ["sh", "x.sh"],
    cwd: "/p",
    sandboxed: true,
    sandbox: "yes",
    scripts
  } as const
  return prepared("run_command", "high", [access], { argv: "sh x.sh" })
}
const stepOf = (...calls: ReadonlyArray<PreparedCall>): CallList => ({
  title: "Step",
  planKey: "plan",
  tasks: [{ task: "T", gatedBy: "risk", calls }]
})

describe("an approved step", () => {
  liveTest("covers a command with the script that was shown, and with what a write on the same screen brings", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["step"], calls: ["deny", "deny"] })
      const { gate } = yield* openGate({ approver: approver.layer })
      const write = writing("/p/x.sh", "shown")
      yield* approveCalls(gate, stepOf(write, starting("before")))
      yield* gate.authorize(questionOfCall(inTask("T"), starting("before")))
      yield* gate.authorize(questionOfCall(inTask("T"), write))
      yield* gate.authorize(questionOfCall(inTask("T"), starting("shown")))
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("T"), starting("something else"))))
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("T"), starting(null))))
    })
  )
})
