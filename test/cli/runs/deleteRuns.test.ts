/** `runs delete` and `runs prune`, with runs that are at work, that cannot be read, and that cannot be removed. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as PlatformError from "effect/PlatformError"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { removeRun } from "../../../src/index.ts"
import { takeLock } from "../../../src/services/files/ProcessLock.ts"
import { runLock, RunStore } from "../../../src/services/history/RunStore.ts"
import { makeSandbox, type Sandbox } from "../../support/binary.ts"
import { inProcess } from "../../support/inProcess.ts"
import { journalBytes, openedRecord } from "../../support/Journals.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const [old, older] = ["20251120-183000-aaaa", "20251119-183000-bbbb"]
const [torn, empty] = ["20251118-183000-cccc", "20251117-183000-dddd"]

let sandbox: Sandbox
let state = ""
const left = () => readdirSync(join(state, "runs")).toSorted()

beforeEach(() => {
  sandbox = inProcess(makeSandbox())
  state = join(sandbox.root, "home/.local/state/task-conductor")
  for (const runId of [old, older, torn, empty]) mkdirSync(join(state, "runs", runId), { recursive: true })
  for (const runId of [old, older]) {
    writeFileSync(join(state, "runs", runId, "journal.jsonl"), journalBytes([openedRecord(runId)]))
  }
  writeFileSync(join(state, "runs", torn, "journal.jsonl"), "no journal")
})
afterEach(() => sandbox.remove())

/** Does something while a process, this one, works on a run. */
const whileActive = <A>(runId: string, work: () => Promise<A>): Promise<A> =>
  takeLock(runLock(join(state, "runs", runId, "journal.jsonl")), {
    folder: join(state, "locks"),
    runId,
    what: "run"
  }).pipe(Effect.andThen(Effect.promise(work)), Effect.scoped, Effect.provide(NodeServices.layer), Effect.runPromise)

describe("runs delete", () => {
  it("removes runs by their ids and the beginnings of ids, each once", async () => {
    const { code, stderr, stdout } = await sandbox.run(["runs", "delete", old, "20251120", torn])
    const said = [old, torn].map((id) => `Removed the run ${id}, with its undo data.\n`).join("")
    assert.deepStrictEqual([code, stdout, stderr], [0, "", said])
    assert.deepStrictEqual(left(), [empty, older])
    const json = await sandbox.run(["runs", "delete", "--json", empty, older])
    assert.deepStrictEqual([json.code, json.stdout, json.stderr], [0, `["${empty}","${older}"]\n`, ""])
    assert.deepStrictEqual(left(), [])
  })

  it("removes nothing when one of the names fits no run, or several", async () => {
    for (const [names, what] of [
      [[old, "20241231"], /^There is no run "20241231"\./],
      [["2025"], /^"2025" fits several runs: .* Write more of the id\.$/m],
      [["", old], /^There is no run ""\./]
    ] as const) {
      const { code, stderr } = await sandbox.run(["runs", "delete", ...names])
      assert.strictEqual(code, 2)
      assert.match(stderr, what)
    }
    const missing = await sandbox.run(["runs", "delete"])
    assert.deepStrictEqual([missing.code, left().length], [2, 4], missing.stderr)
  })

  it("leaves an active run, says so, and removes the others", async () => {
    const { code, stderr, stdout } = await whileActive(old, () => sandbox.run(["runs", "delete", "--json", old, older]))
    const said = `The run ${old} is still working (pid ${process.pid}) and was not removed. Stop it first.\n`
    assert.deepStrictEqual([code, stdout, stderr], [1, `["${older}"]\n`, said])
    assert.deepStrictEqual(left(), [empty, torn, old])
  })
})

it("runs prune removes what is old, also what cannot be read and empty folders, but no active run", async () => {
  mkdirSync(join(state, "runs", "odd-name"))
  const words = ["runs", "prune", "--older-than", "0", "--json"]
  const { code, stdout } = await whileActive(older, () => sandbox.run(words))
  assert.strictEqual(code, 0)
  assert.sameMembers(JSON.parse(stdout) as Array<string>, [empty, torn, old, "odd-name"])
  assert.deepStrictEqual(left(), [older])
})

it("the library removes a run, and says when a process works on it", async () => {
  const stateFolder = state
  assert.isFalse(await whileActive(old, () => removeRun(old, { stateFolder })))
  assert.isTrue(await removeRun(old, { stateFolder }))
  assert.isFalse(existsSync(join(state, "runs", old)))
  const rejected = await removeRun(old, { stateFolder }).catch((error: Error) => error.message)
  assert.match(String(rejected), /^There is no run/)
})

nodeTest("a run whose folder cannot be removed is not called removed", function* () {
  const fs = yield* FileSystem.FileSystem
  const what = { module: "FileSystem", method: "remove", pathOrDescriptor: "x" }
  const denied = PlatformError.systemError({ _tag: "PermissionDenied", ...what })
  const error = yield* RunStore.use((store) => store.remove(old)).pipe(
    Effect.provide(RunStore.layer(state)),
    Effect.provideService(FileSystem.FileSystem, { ...fs, remove: () => Effect.fail(denied) }),
    Effect.flip
  )
  assert.match(error.message, /^The run 20251120-183000-aaaa could not be removed: .*PermissionDenied/)
  assert.isTrue(existsSync(join(state, "runs", old)))
})
