import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { processSandbox } from "../../support/fileSandbox.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { inProcess } from "../../support/inProcess.ts"
import { liveTest } from "../../support/liveTest.ts"

const made = processSandbox()
const sandbox = inProcess(made)

/** What the words may become, without what stands behind it. */
const candidates = async (words: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const { code, stderr, stdout } = await sandbox.run(["complete", "--", ...words], { env })
  assert.deepStrictEqual([code, stderr], [0, ""])
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0]]))
}

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
  for (const words of [["check"], ["run", "--prompt-file"], ["run"], ["run", "--"], ["nothing"]])
    assert.deepStrictEqual(await candidates([...words, ""]), [], words.join(" "))
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

liveTest("knows what a server has installed", function* () {
  const { url } = yield* FakeOllama.make(() => "never", { models: [{ name: "qwen3:8b" }, { name: "llama3.2:3b" }] })
  const found = yield* Effect.promise(() => candidates(["run", "--model", "q"], { OLLAMA_HOST: url }))
  assert.deepStrictEqual(found, ["qwen3:8b"])
})

it("says nothing where the configuration is wrong", async () => {
  made.write("project/task-conductor.json", "{")
  assert.deepStrictEqual(await candidates(["run", "--model", ""]), [])
  made.write("project/task-conductor.json", "{}")
})
