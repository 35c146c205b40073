/** Commands whose scripts a run writes after a rule allowed them; no rule covers them any more. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { Rule } from "../../src/domain/permissions/Permission.ts"
import { liveTest } from "./liveTest.ts"
import { needs } from "./needs.ts"
import { openTools, type OpenTools } from "./OpenTools.ts"
import { makeFolder, putFiles } from "./Project.ts"
import { scriptedApprover } from "./ScriptedApprover.ts"

export const allow = (tool: string, pattern: string): Rule => ({ verdict: "allow", tool, pattern })
export const anyWrite = allow("write_file", "**")

export const open = Effect.fnUntraced(function* (
  given: OpenTools,
  answers: ReadonlyArray<"once" | "session" | "deny"> = []
) {
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

export const npm = (test: string) => JSON.stringify({ name: "x", version: "1.0.0", scripts: { test } })

type Files = Readonly<Record<string, string>>
type Variant = readonly [name: string, files: Files, command: string, written: string, content?: string, cwd?: string]

const manifest = { "package.json": npm("true") }
const member = "packages/a/package.json"
const variants: ReadonlyArray<Variant> = [
  ["the script itself", { "x.sh": "true" }, "sh x.sh", "x.sh"],
  ["a program by its path", { "bin/x": "#!/bin/sh\ntrue\n" }, "./bin/x", "bin/x"],
  ["a manifest", manifest, "npm test", "package.json", npm("echo")],
  ["a manifest of a folder above", { ...manifest, "a/b": "" }, "npm test", "package.json", npm("echo"), "a"],
  ["a script that a manifest names", { "package.json": npm("sh t.sh"), "t.sh": "true" }, "npm test", "t.sh"],
  ["a script that another one starts", { "x.sh": "sh lib/y.sh", "lib/y.sh": "true" }, "sh x.sh", "lib/y.sh"],
  ["a script inside an argument", { "x.sh": "true" }, "sh -c true\u00a0&&\u00a0sh\u00a0x.sh", "x.sh"],
  ["a script behind another program", { "x.sh": "true" }, "env sh ./x.sh", "x.sh"],
  ["a script that an option names", { "s.cjs": "", "a.cjs": "" }, "node --require=./s.cjs a.cjs", "s.cjs"],
  ["a script behind a link", { "real.sh": "true" }, "sh link.sh", "real.sh"],
  ["a script that was not there", {}, "sh new.sh", "new.sh"],
  ["settings of the package manager", { ...manifest, ".npmrc": "" }, "npm test", ".npmrc"],
  ["a makefile that an option names", { "ci.mk": "all:\n" }, "make -f ci.mk", "ci.mk", "all: ; true"],
  [
    "a part that a makefile includes",
    { Makefile: "include parts/a.mk\nall:\n", "parts/a.mk": "" },
    "make all",
    "parts/a.mk",
    "all: ; true"
  ],
  [
    "the manifest in the folder of --prefix",
    { "web/package.json": npm("true") },
    "npm --prefix web test",
    "web/package.json",
    npm("echo")
  ],
  ["the manifest of a workspace of -w", { ...manifest, [member]: npm("true") }, "npm -w a test", member, npm("echo")],
  [
    "a script of one of all workspaces",
    { ...manifest, [member]: npm("sh t.sh"), "packages/a/t.sh": "true" },
    "npm test --workspaces",
    "packages/a/t.sh"
  ],
  [
    "the manifest of a workspace that a script turns to",
    { "package.json": npm("npm --workspace=a test"), [member]: npm("true") },
    "npm test",
    member,
    npm("echo")
  ]
]

/** The variants that are among the short tests. */
const main: ReadonlySet<string> = new Set([
  "the script itself",
  "a script that a manifest names",
  "a script behind a link"
])

/** The tests of the main variants, or of the others. */
export const testWrittenScripts = (which: "main" | "others"): void => {
  describe("a rule for a command", () => {
    for (const [name, files, text, written, content = "echo evil", cwd] of variants) {
      if (main.has(name) !== (which === "main")) continue
      const argv = text.split(" ").map((word) => word.replaceAll("\u00a0", " "))
      liveTest(
        `does not cover it any more when the run has written ${name}`,
        function* () {
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
        },
        needs("bwrap")
      )
    }
  })
}
