/** Completion in shells. */
import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { processSandbox } from "../../support/fileSandbox.ts"
import { environmentOf, program } from "../../support/binary.ts"
import { needs } from "../../support/needs.ts"

const made = processSandbox()

/** A shell with a program of this name, which answers as the real one does. */
const inShell = (shell: string, args: ReadonlyArray<string>): string => {
  const bin = join(made.root, "bin/task-conductor")
  made.write("bin/task-conductor", `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
  chmodSync(bin, 0o755)
  const env = environmentOf(made.root, { PATH: `${join(made.root, "bin")}:${process.env["PATH"]}` })
  const { status, stderr, stdout } = spawnSync(shell, args, { cwd: join(made.root, "project"), env, encoding: "utf8" })
  assert.strictEqual(status, 0, stderr)
  return stdout
}

const words = (stdout: string): ReadonlyArray<string> => stdout.split(/\s+/).filter((word) => word !== "")

const bash = (typed: ReadonlyArray<string>): ReadonlyArray<string> => {
  const line = typed.map((word) => `'${word}'`).join(" ")
  const body = `source <(task-conductor completion bash); COMP_WORDS=(task-conductor ${line}); COMP_CWORD=${typed.length}; _task_conductor; printf '%s\\n' "\${COMPREPLY[@]}"`
  return words(inShell("bash", ["--norc", "-c", body]))
}

const fish = (line: string) =>
  inShell("fish", ["--no-config", "-c", `task-conductor completion fish | source; complete -C '${line}'`])

it("works in bash, also for names with a colon, and keeps the completion of files", needs("bash"), () => {
  assert.deepStrictEqual(bash(["permissions", "re"]), ["revoke"])
  assert.deepStrictEqual(bash(["run", "--think", "o"]), ["off", "on"])
  assert.deepStrictEqual(bash(["check", ""]), [])
  /* bash takes the colon for a word, and replaces only what stands behind it. */
  const stub = `task-conductor() { printf 'qwen3:8b\\tinstalled\\n'; echo "$@" >&2; }`
  const body = `source <(task-conductor completion bash); ${stub}; COMP_WORDS=(task-conductor run -m qwen3 : 8); COMP_CWORD=5; _task_conductor; printf '%s\\n' "\${COMPREPLY[@]}"`
  assert.deepStrictEqual(words(inShell("bash", ["--norc", "-c", body])), ["8b"])
  const kept = "source <(task-conductor completion bash); complete -p task-conductor"
  assert.include(inShell("bash", ["--norc", "-c", kept]), "-o default")
})

it("works in zsh", needs("zsh"), () => {
  const stubs = `compdef() { : }; _describe() { print -l -- "\${(@P)2}" }; _files() { print files }`
  const zsh = (typed: string, count: number) =>
    inShell("zsh", [
      "-f",
      "-c",
      `${stubs}; source <(task-conductor completion zsh); words=(task-conductor ${typed}); CURRENT=${count}; _task_conductor`
    ])
  assert.match(zsh("permissions re", 3), /^revoke:Revoke/)
  assert.strictEqual(zsh("check ''", 3), "files\n")
})

it("works in fish", needs("fish"), () => {
  made.write("project/plan.md", "")
  assert.match(fish("task-conductor permissions re"), /^revoke\tRevoke/)
  assert.match(fish("task-conductor check pl"), /^plan\.md/)
})
