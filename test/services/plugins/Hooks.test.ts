import { afterEach, assert, beforeEach, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { makeSandbox, type Sandbox } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { inProcess } from "../../support/inProcess.ts"
import { liveTest } from "../../support/liveTest.ts"

let sandbox: Sandbox
const read = (file: string) => readFileSync(join(sandbox.root, "project", file), "utf8")
const has = (file: string) => existsSync(join(sandbox.root, "project", file))

const guard = 'in=$(cat); case "$in" in *forbidden*) echo "No forbidden words."; exit 1;; esac\n'
const hooks = {
  "before-change": ["sh guard.sh"],
  "after-change": ['sh -c "cat > after.json"'],
  "run-end": [`sh -c 'cat > end.json'`]
}

beforeEach(() => {
  sandbox = makeSandbox()
  sandbox.write("project/a.txt", "one\n")
  sandbox.write("project/guard.sh", guard)
})
afterEach(() => sandbox.remove())

/** A conversation of one message in which the model changes the file to this text. It needs a process only where that ends. */
const changing = (text: string, args: ReadonlyArray<string> = [], started = inProcess(sandbox)) =>
  Effect.gen(function* () {
    const change = `a.txt\n<<<<<<< OLD\none\n=======\n${text}\n>>>>>>> NEW\n`
    const server = yield* FakeOllama.make((_body, index) => ({ text: index === 0 ? change : "It is changed." }))
    const given = ["ask", "--model", fakeModel, "--yes", "--allow", "edit_file", ...args, "Change it"]
    return yield* Effect.promise(() => started.run(given, { env: { OLLAMA_HOST: server.url } }))
  }).pipe(Effect.scoped)

const trust = ["--allow", "load_plugin:hooks of task-conductor.json *"]

describe("hooks", () => {
  liveTest("of the user run around a change and at the end, with what happens on stdin", function* () {
    sandbox.write("config/task-conductor/config.json", JSON.stringify({ hooks }))
    const { code, stderr } = yield* changing("two", [], sandbox)
    assert.deepStrictEqual([code, read("a.txt")], [0, "two\n"], stderr)
    assert.deepStrictEqual(JSON.parse(read("after.json")), {
      event: "after-change",
      project: join(sandbox.root, "project"),
      files: [{ path: "a.txt", content: "two\n" }]
    })
    const end = JSON.parse(read("end.json")) as Record<string, unknown>
    assert.match(String(end["run_id"]), /^\d{8}-\d{6}-\w{4}$/)
    assert.deepInclude(end, { event: "run-end", status: "done", exit_code: 0 })
  })

  liveTest("stop a change with their words", function* () {
    sandbox.write("config/task-conductor/config.json", JSON.stringify({ hooks }))
    const { code, stderr, stdout } = yield* changing("two forbidden words")
    assert.deepStrictEqual([code, read("a.txt"), has("after.json")], [1, "one\n", false], stderr)
    assert.include(stdout, "a.txt was not changed: The hook sh guard.sh (before-change) failed: No forbidden words.")
    assert.deepInclude(JSON.parse(read("end.json")), { status: "failed", exit_code: 1 })
  })

  liveTest("of a project do nothing before they are trusted, nor when what they run has changed since", function* () {
    sandbox.write("project/task-conductor.json", JSON.stringify({ hooks }))
    const untrusted = yield* changing("two")
    assert.deepStrictEqual([untrusted.code, read("a.txt"), has("end.json")], [0, "two\n", false])
    assert.include(untrusted.stderr, "warning: The hooks of task-conductor.json are not used: the project names them")
    sandbox.write("project/a.txt", "one\n")
    const trusted = yield* changing("two forbidden words", trust)
    assert.deepStrictEqual([trusted.code, read("a.txt"), has("end.json")], [1, "one\n", true], trusted.stderr)
    const [, hash = ""] = /sha256:([0-9a-f]{64})/.exec(untrusted.stderr) ?? []
    const exactly = ["--allow", `load_plugin:hooks of task-conductor.json sha256:${hash}`]
    const pinned = yield* changing("two forbidden words", exactly)
    assert.strictEqual(pinned.code, 1, pinned.stderr)
    sandbox.write("project/guard.sh", `${guard}touch evil\n`)
    const changed = yield* changing("two", exactly)
    assert.include(changed.stderr, "you have not trusted them")
    assert.isFalse(has("evil"))
  })

  liveTest("that a rule denies, or that fail after a change, are named", function* () {
    sandbox.write(
      "config/task-conductor/config.json",
      JSON.stringify({ hooks: { "after-change": ["sh -c 'exit 3'"] } })
    )
    const failed = yield* changing("two")
    assert.deepStrictEqual([failed.code, read("a.txt")], [0, "two\n"])
    assert.include(failed.stderr, "(after-change) failed: exit code 3")
    sandbox.write("project/a.txt", "one\n")
    sandbox.write("config/task-conductor/config.json", JSON.stringify({ hooks }))
    const denied = yield* changing("two", ["--deny", "run_command:sh *"])
    assert.deepStrictEqual([denied.code, read("a.txt")], [1, "one\n"], denied.stderr)
    assert.include(denied.stdout, "was not run: a rule denies it.")
  })
})
