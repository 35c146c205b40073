/**
 * The comparison of models: what is measured, what is recommended, and that nothing of the person is changed.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { makeSandbox } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import type { ChatBody } from "../../support/FakeOllamaScript.ts"
import { inProcess } from "../../support/inProcess.ts"
import { refinementWith, resultSaying } from "../../support/TestRun.ts"
import { stageNameOf } from "../../support/stageName.ts"

const sandbox = inProcess(makeSandbox())
afterAll(sandbox.remove)

const plan = `## Original prompt
Do it.

## Goals / summary
It is done.

## Tasks
### Task section 1
- **Name** Search 1
- **What is needed** Find it.
- **Skill** search-code
- **Expected output** Lines.
`

const callsOf: Readonly<Record<string, Parameters<typeof refinementWith>[0]>> = {
  "Search 1": [{ name: "search_files", arguments: { pattern: "settings" } }],
  "Read 1": [{ name: "read_file", arguments: { path: "src/settings.js" } }],
  "Write 1": [{ name: "write_file", arguments: { path: "SETTINGS.md", content: "| setting |\n" } }]
}

/** The big model plans well; the small one writes no plan, and refines and executes as well. */
const answer = ({ messages, model }: ChatBody): string => {
  const stage = stageNameOf(messages)
  const user = messages[1]?.content ?? ""
  const task = /^- \*\*Name\*\* (.+)$/m.exec(user.slice(user.lastIndexOf("## Task\n")))?.[1] ?? ""
  if (stage === "creation") return model === "big:70b" ? plan : "I would look around first."
  if (stage === "refinement") return refinementWith(callsOf[task] ?? [])
  return stage === "iteration" ? plan.slice(0, plan.indexOf("### Task")) : resultSaying("Found.")
}

const compare = (words: ReadonlyArray<string>, models = [{ name: "big:70b" }, { name: "small:1b" }]) =>
  Effect.gen(function* () {
    const server = yield* FakeOllama.make(answer, { models })
    const env = { TASK_CONDUCTOR_MODEL: "", OLLAMA_HOST: server.url }
    const ended = yield* Effect.promise(() => sandbox.run(["models", "bench", ...words], { env }))
    return { ...ended, chats: server.chats }
  }).pipe(Effect.scoped)

const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith("task-conductor-bench-"))

describe("models bench", () => {
  it.live("tries all models, recommends one for each stage, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const before = [readdirSync(sandbox.root, { recursive: true }).toSorted(), leftovers()]
      const { code, stderr, stdout } = yield* compare(["--json"])
      assert.strictEqual(code, 0, stderr)
      const { configuration, models, recommended } = JSON.parse(stdout)
      assert.strictEqual(recommended.plan, "big:70b")
      assert.strictEqual(configuration.model, recommended.task)
      const [big, small] = models
      assert.deepInclude(big.stages[0], { stage: "plan", documents: 3, valid_at: [3, 0, 0, 0, 0], broken: [] })
      assert.deepInclude(big.stages[1], { stage: "task", documents: 4, valid_at: [4, 0, 0, 0, 0] })
      assert.deepEqual(big.calls, { all: 3, succeeded: 3 })
      assert.deepInclude(small.stages[0], { documents: 3, valid_at: [0, 0, 0, 0, 0] })
      assert.isAbove(small.stages[0].broken.length, 0)
      assert.deepEqual(small.calls, { all: 3, succeeded: 3 })
      assert.deepStrictEqual([readdirSync(sandbox.root, { recursive: true }).toSorted(), leftovers()], before)
    })
  )

  it.live("tries only what is named, and says on stderr what goes on", () =>
    Effect.gen(function* () {
      const { chats, code, stderr, stdout } = yield* compare(["big"])
      assert.strictEqual(code, 0, stderr)
      assert.deepStrictEqual([...new Set(chats.map(({ model }) => model))], ["big:70b"])
      assert.include(stderr, "Trying big:70b in a temporary project.")
      assert.match(stderr, /^\d+ s {2}big:70b {2}task "Read 1"$/m)
      assert.include(stdout, "big:70b\n  plans        3 at once")
      assert.include(stdout, 'In your configuration:\n{\n  "model": "big:70b"\n}\n')
    })
  )

  it.live("says what cannot be tried before it begins", () =>
    Effect.gen(function* () {
      const wrong = yield* compare(["big", "smal:1b"])
      assert.deepStrictEqual([wrong.code, wrong.stdout, wrong.chats.length], [5, "", 0])
      assert.include(wrong.stderr, "Nearest there: small:1b.")
      const demo = yield* compare(["embedded"])
      assert.strictEqual(demo.code, 2)
      assert.strictEqual((yield* compare([], [])).code, 5)
    })
  )
})
