import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { environmentOf, makeSandbox, program } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { inProcess } from "../../support/inProcess.ts"
import { needs } from "../../support/needs.ts"

const made = makeSandbox()
const sandbox = inProcess(made)
afterAll(made.remove)

/** What the words may become, without what stands behind it. */
const candidates = async (words: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const { code, stderr, stdout } = await sandbox.run(["complete", "--", ...words], { env })
  assert.deepStrictEqual([code, stderr], [0, ""])
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0]]))
}

describe("completion", () => {
  it("knows commands, flags, and the values of flags that have some", async () => {
    assert.includeMembers(await candidates([""]), ["run", "ask", "completion"])
    assert.deepStrictEqual(await candidates(["perm"]), ["permissions"])
    assert.deepStrictEqual(await candidates(["permissions", "ex"]), ["explain"])
    assert.deepStrictEqual(await candidates(["run", "--think", ""]), ["off", "on", "low", "medium", "high"])
    assert.deepStrictEqual(await candidates(["run", "--max-r"]), ["--max-rounds"])
    assert.deepStrictEqual(await candidates(["run", "--yes", "--prompt-f"]), ["--prompt-file"])
    assert.deepStrictEqual(await candidates(["completion", "f"]), [])
  })

  it("leaves files, prompts and what it does not know to the shell", async () => {
    for (const words of [
      ["check", ""],
      ["run", "--prompt-file", ""],
      ["run", ""],
      ["run", "--", ""],
      ["nothing", ""]
    ]) {
      assert.deepStrictEqual(await candidates(words), [], words.join(" "))
    }
  })

  it("knows runs, skills and models", async () => {
    await sandbox.run(["run", "--model", "embedded", "--read-only", "Where is it?"])
    const runs = await candidates(["show", ""])
    assert.strictEqual(runs.length, 2)
    assert.strictEqual(runs[0], "last")
    assert.match(runs[1] ?? "", /^\d{8}-\d{6}-\w{4}$/)
    assert.deepStrictEqual(await candidates(["resume", "la"]), ["last"])
    assert.include(await candidates(["run", "--skill", "search-c"]), "search-code")
    assert.include(await candidates(["skills", "describe", ""]), "summarize")
    assert.deepStrictEqual(await candidates(["run", "--model", ""]), ["embedded"])
    assert.deepStrictEqual(await candidates(["ask", "-m", "emb"]), ["embedded"])
  })

  it.live("knows what a server has installed", () =>
    Effect.gen(function* () {
      const { url } = yield* FakeOllama.make(() => "never", { models: [{ name: "qwen3:8b" }, { name: "llama3.2:3b" }] })
      const found = yield* Effect.promise(() => candidates(["run", "--model", "q"], { OLLAMA_HOST: url }))
      assert.deepStrictEqual(found, ["qwen3:8b"])
    })
  )

  it("says nothing where the configuration is wrong", async () => {
    made.write("project/task-conductor.json", "{")
    assert.deepStrictEqual(await candidates(["run", "--model", ""]), [])
    made.write("project/task-conductor.json", "{}")
  })
})

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

describe("completion in shells", () => {
  it("works in bash, also for names with a colon, and keeps the completion of files", needs("bash"), () => {
    assert.deepStrictEqual(bash(["permissions", "re"]), ["revoke"])
    assert.deepStrictEqual(bash(["run", "--think", "o"]), ["off", "on"])
    assert.deepStrictEqual(bash(["check", ""]), [])
    /* bash takes the colon for a word, and replaces only what stands behind it. */
    const stub = `task-conductor() { printf 'qwen3:8b\\tinstalled\\n'; echo "$@" >&2; }`
    const body = `source <(task-conductor completion bash); ${stub}; COMP_WORDS=(task-conductor run -m qwen3 : 8); COMP_CWORD=5; _task_conductor; printf '%s\\n' "\${COMPREPLY[@]}"`
    assert.deepStrictEqual(words(inShell("bash", ["--norc", "-c", body])), ["8b"])
    const kept = inShell("bash", [
      "--norc",
      "-c",
      "source <(task-conductor completion bash); complete -p task-conductor"
    ])
    assert.include(kept, "-o default")
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
})
