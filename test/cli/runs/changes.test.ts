import { assert, describe } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { diffRun, run, undo, UndoRefused } from "../../../src/index.ts"
import { scopedSandbox } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { inProcess } from "../../support/inProcess.ts"
import { needs } from "../../support/needs.ts"
import { stageNameOf } from "../../support/stageName.ts"
import { planOf, resultSaying } from "../../support/TestRun.ts"
import { liveTest } from "../../support/liveTest.ts"

const sandbox = Effect.map(scopedSandbox(), inProcess)

const change = "a.txt\n<<<<<<< OLD\ntwo\n=======\n2\n>>>>>>> NEW\n\nnew/b.txt\n<<<<<<< OLD\n=======\nnew\n>>>>>>> NEW\n"

/** A project, and a model that changes one file of it and makes another. */
const prepared = Effect.gen(function* () {
  const all = yield* sandbox
  all.write("project/a.txt", "one\ntwo\nthree\n")
  const server = yield* FakeOllama.make(({ messages }) => {
    if (stageNameOf(messages) === "creation") return planOf([[{ name: "Edit", skill: "edit-files" }]])
    return messages.some(({ role }) => role === "assistant") ? resultSaying("Edited.") : change
  })
  const read = () => readFileSync(join(all.root, "project/a.txt"), "utf8")
  return { ...all, read, host: server.url }
})

/** The same after a run. */
const changed = Effect.gen(function* () {
  const all = yield* prepared
  const ended = yield* Effect.promise(() =>
    all.run(["run", "--yes", "--no-check", "--model", fakeModel, "Change it."], { env: { OLLAMA_HOST: all.host } })
  )
  assert.strictEqual(ended.code, 0, ended.stderr)
  const call = (...args: ReadonlyArray<string>) => Effect.promise(() => all.run([...args]))
  return { ...all, call }
})

describe("the changes of the last run", () => {
  liveTest(
    "are shown, undone and made again",
    function* () {
      const { call, read, root } = yield* changed
      const stat = yield* call("diff", "--stat")
      assert.strictEqual(stat.stdout, "a.txt: +1 -1\nnew/b.txt: +1 -0, new\n2 files: +2 -1\n")
      const patch = (yield* call("diff")).stdout
      assert.match(patch, /^diff --git a\/a\.txt b\/a\.txt\n--- a\/a\.txt\n\+\+\+ b\/a\.txt\n@@ -1,3 \+1,3 @@\n/)
      execFileSync("git", ["apply", "--check", "-R", "-"], { cwd: join(root, "project"), input: patch })
      const undone = yield* call("undo")
      assert.match(undone.stdout, /^Undone: 2 files of run \S+\n- a\.txt\n- new\/b\.txt\n$/)
      assert.match(undone.stderr, /Make it again: task-conductor undo \S+ --redo/)
      assert.strictEqual(read(), "one\ntwo\nthree\n")
      assert.include((yield* call("undo")).stderr, "Nothing to do: the files are already like that.")
      assert.include((yield* call("diff")).stderr, "note: a.txt (undone)")
      const again = JSON.parse((yield* call("undo", "last", "--redo", "--json", "a.txt")).stdout)
      assert.deepStrictEqual([again.paths, again.refused], [["a.txt"], []])
      assert.strictEqual(read(), "one\n2\nthree\n")
    },
    needs("git")
  )

  liveTest("are not undone over what a person wrote since: exit code 1, with the difference", function* () {
    const { call, read, write } = yield* changed
    write("project/a.txt", "one\n2\nthree\nmine\n")
    const refused = yield* call("undo")
    assert.deepStrictEqual([refused.code, refused.stdout.includes("+mine")], [1, true])
    assert.include(refused.stderr, "Nothing was changed, because of these files:\n- a.txt: it was changed since")
    assert.strictEqual(read(), "one\n2\nthree\nmine\n")
    assert.strictEqual((yield* call("undo", "last", "new")).code, 0)
    const unknown = yield* call("undo", "last", "c.txt")
    assert.deepStrictEqual([unknown.code, unknown.stdout], [2, ""])
    assert.match(unknown.stderr, /The run \S+ did not change c\.txt\. It changed: a\.txt, new\/b\.txt\./)
  })

  liveTest("are none to undo after a run that changed nothing: exit code 0, as with diff", function* () {
    const { run } = yield* sandbox
    const call = (...args: ReadonlyArray<string>) => Effect.promise(() => run(args))
    for (const words of [["run", "What is here?"], ["diff"]]) assert.strictEqual((yield* call(...words)).code, 0)
    for (const [words, what] of [
      [[], "undo"],
      [["--redo"], "make again"],
      [["last", "a.txt"], "undo"]
    ] as const) {
      const { code, stderr, stdout } = yield* call("undo", ...words)
      assert.deepStrictEqual([code, stdout], [0, ""])
      assert.include(stderr, ` changed nothing, so there is nothing to ${what}.\n`)
    }
    const { code, stdout } = yield* call("undo", "--json")
    assert.strictEqual(code, 0)
    assert.deepInclude(JSON.parse(stdout), { paths: [], refused: [], outside: [] })
  })

  liveTest("are there for scripts", function* () {
    const { host, read, root, write } = yield* prepared
    const options = { stateFolder: join(root, "state") }
    const prompt = "Change it."
    const order = { ...options, project: join(root, "project"), host, model: fakeModel, prompt }
    const handle = run({ ...order, checks: false, approve: () => true })
    const { runId } = handle
    assert.strictEqual((yield* Effect.promise(() => handle.report)).status, "done")
    const { changes } = yield* Effect.promise(() => diffRun(runId, options))
    const shown = changes.map(({ kind, path, state }) => `${path} ${kind} ${state}`)
    assert.deepStrictEqual(shown, ["a.txt changed made", "new/b.txt new made"])
    const { paths } = yield* Effect.promise(() => undo(runId, { ...options, paths: ["a.txt"] }))
    assert.deepStrictEqual([paths, read()], [["a.txt"], "one\ntwo\nthree\n"])
    write("project/new/b.txt", "mine\n")
    const refused = yield* Effect.promise(() => undo(runId, options).catch((error: unknown) => error))
    assert.instanceOf(refused, UndoRefused)
  })
})
