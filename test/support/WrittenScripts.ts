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

/** The variants that are among the short tests. */
const main: ReadonlySet<string> = new Set([
  "the script itself",
  "a script that a manifest names",
  "a script behind a link"
])

/** The tests of the main variants, or of the others. */
export const testWrittenScripts = (which: "main" | "others"): void => {
  describe("a rule for a command", () => {
    for (const { argv, content = "echo evil", cwd, files, name, written } of variants) {
      if (main.has(name) !== (which === "main")) continue
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
  })
}
