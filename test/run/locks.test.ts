/**
 * Runs beside each other on the real binary: one at a time in a project and on a journal, freed however it ends.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { globSync } from "node:fs"
import { join } from "node:path"
import { makeSandbox } from "../support/binary.ts"
import { strace } from "../support/CrashPoints.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { needs } from "../support/needs.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { stageNameOf } from "../support/stageName.ts"

const answers: Readonly<Record<string, string>> = {
  creation: planOf([[{ name: "Look", skill: "search-code" }]]),
  refinement: refinementWith([{ name: "search_files", arguments: { pattern: "word" } }]),
  execution: resultSaying("Looked.")
}

const sandbox = Effect.acquireRelease(Effect.sync(makeSandbox), ({ remove }) => Effect.sync(remove))
const words = ["run", "--model", fakeModel, "--json", "Find the word."]

it.live(
  "ends with what the system says when it gives no lock, and has begun nothing",
  () =>
    Effect.gen(function* () {
      const { root, run } = yield* sandbox
      const embedded = ["run", "--model", "embedded", "Where is the word?"]
      const under = strace("bind", "error=EPERM:when=1", undefined)
      const refused = yield* Effect.promise(() => run(embedded, { under }))
      expect([refused.code, refused.stdout]).toEqual([1, ""])
      expect(refused.stderr).toMatch(
        /^The run \S+ cannot be locked against other runs: the system says EPERM\. Nothing was begun\. [^\n]+\n$/
      )
      expect(globSync("**/journal.jsonl", { cwd: join(root, "home") })).toEqual([])
      const ofProject = strace("bind", "error=EMFILE:when=2", undefined)
      const second = yield* Effect.promise(() => run(embedded, { under: ofProject }))
      expect([second.code, second.stderr]).toEqual([
        1,
        expect.stringMatching(/^The project <root>\/project cannot be locked .* the system says EMFILE\./)
      ])
      expect((yield* Effect.promise(() => run(embedded))).code).toBe(0)
    }),
  { timeout: 180_000, ...needs("strace") }
)

it.live(
  "refuses a second run in a project and a resume of a run that goes on, and takes both once the first is killed",
  () =>
    Effect.gen(function* () {
      let isHeld = true
      const server = yield* FakeOllama.make(({ messages }) => {
        const stage = stageNameOf(messages)
        return stage === "execution" && isHeld ? { text: "never", hold: "never" } : (answers[stage] ?? "")
      })
      const { root, run, start } = yield* sandbox
      const env = { OLLAMA_HOST: server.url }
      const first = start(words, { env })
      yield* server.until(({ chats }) => chats.length === 3)
      const [runId = ""] = globSync("*", { cwd: join(root, "home/.local/state/task-conductor/runs") })

      const [second, resumed] = yield* Effect.promise(() =>
        Promise.all([run(words, { env }), run(["resume", runId], { env })])
      )
      const by = `is in use by run ${runId} \\(pid ${first.child.pid}, since \\d{4}-\\d\\d-\\d\\dT[^)]+Z\\)\\. Wait for it,`
      expect([second.code, resumed.code]).toEqual([1, 1])
      expect(second.stderr).toMatch(
        new RegExp(`^The project <root>/project ${by} end it first, or run with --read-only what changes nothing\\.\n$`)
      )
      expect(resumed.stderr).toMatch(new RegExp(`^The run ${runId} ${by} or end it first\\.\n$`))
      expect(server.chats.length).toBe(3)

      const reading = ["run", "--model", "embedded", "--read-only", "Where is the word?"]
      const beside = yield* Effect.promise(() => run(reading, { env }))
      expect([beside.code, beside.stderr.split("\n").at(-2)]).toEqual([0, expect.stringMatching(/^done: /)])

      first.child.kill("SIGKILL")
      yield* Effect.promise(() => first.ended)
      isHeld = false
      const after = yield* Effect.promise(() => run(["resume", runId], { env }))
      expect([after.code, after.stdout.trim()]).toEqual([0, "Looked."])
      expect((yield* Effect.promise(() => run(words, { env }))).code).toBe(0)
    }),
  180_000
)
