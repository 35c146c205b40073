import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { askedOf, makeCluster } from "../../support/Cluster.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import type { ChatBody } from "../../support/FakeOllamaScript.ts"
import { type CompletionBody, FakeOpenAi, fakeOpenAiModel } from "../../support/FakeOpenAi.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"
import { noonAnswer, planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { stageNameOf } from "../../support/stageName.ts"

const names = Array.from({ length: 8 }, (_, index) => `Look ${index + 1}`)

const script = (body: ChatBody): string => {
  const { stage, task } = askedOf(body)
  if (stage === "creation") return planOf([names.map((name) => ({ name }))])
  if (stage === "refinement") return refinementWith([{ name: "get_current_time", arguments: {} }])
  if (stage === "execution") return resultSaying(`Result of ${task}.`)
  return stage === "iteration" ? planOf([]) : "All is done."
}

const answer = ({ messages }: CompletionBody): string => noonAnswer(stageNameOf(messages))

const reportsTask = (body: ChatBody): boolean => askedOf(body).stage === "execution"

describe("a worker whose model server is gone", needsPostgres, () => {
  liveTest("gives its work to one whose server answers, also what has begun, and the run goes on", () =>
    Effect.gen(function* () {
      const { begin, worker } = yield* makeCluster
      const scope = yield* Scope.make()
      const held = (body: ChatBody) => ({ text: script(body), ...(reportsTask(body) ? { hold: "gone" } : {}) })
      const server = yield* Scope.provide(FakeOllama.make(held), scope)
      const { binary } = yield* worker(script, [], { OLLAMA_HOST: server.url })
      const client = yield* begin()
      yield* server.until(({ chats }) => chats.some(reportsTask))
      const second = yield* worker(script)
      yield* Scope.close(scope, Exit.void)
      const { code, stderr } = yield* Effect.promise(() => client.ended)
      expect(code, stderr + binary.stderr()).toBe(0)
      expect(binary.stderr()).toContain("Other workers take its work until it answers.")
      expect(second.binary.stderr()).toContain("works on")
      yield* FakeOllama.make(script, { port: Number(new URL(server.url).port) })
      yield* Effect.promise(() => binary.says("The model server answers again"))
    })
  )

  liveTest("waits with the run when there is no other, whatever kind of server it is, and goes on", () =>
    Effect.gen(function* () {
      const { start } = yield* makeCluster
      const scope = yield* Scope.make()
      const server = yield* Scope.provide(
        FakeOpenAi.make((body) => ({ text: answer(body), hold: "gone" })),
        scope
      )
      const serve = { OPENAI_BASE_URL: server.url }
      const worker = yield* start(["worker"], serve)
      yield* Effect.promise(() => worker.says("The worker is ready"))
      const client = yield* start(["run", "--cluster", "--model", `openai:${fakeOpenAiModel}`, "What time is it?"])
      yield* server.until(({ chats }) => chats.length > 0)
      yield* Scope.close(scope, Exit.void)
      yield* Effect.promise(() => client.says("No worker has a model server that answers; the run waits for one."))
      yield* FakeOpenAi.make(answer, {
        port: Number(new URL(server.url).port)
      })
      const { code, stderr } = yield* Effect.promise(() => client.ended)
      expect(code, stderr + worker.stderr()).toBe(0)
      expect(worker.stderr()).toContain("it waits 300 s (limits.serverWaitSeconds)")
    })
  )

  liveTest("lets the run end when no worker had a server for long enough, and it can be resumed", () =>
    Effect.gen(function* () {
      const { begin, sandbox, start, worker } = yield* makeCluster
      sandbox.write(
        "config/task-conductor/config.json",
        JSON.stringify({ sandbox: { mode: "off" }, limits: { serverWaitSeconds: 1 } })
      )
      const scope = yield* Scope.make()
      const server = yield* Scope.provide(
        FakeOllama.make((body) => ({ text: script(body), hold: "gone" })),
        scope
      )
      const { binary } = yield* worker(script, [], { OLLAMA_HOST: server.url })
      const client = yield* begin()
      yield* server.until(({ chats }) => chats.length > 0)
      yield* Scope.close(scope, Exit.void)
      const { code, stderr } = yield* Effect.promise(() => client.ended)
      expect(code, stderr + binary.stderr()).toBe(5)
      const port = Number(new URL(server.url).port)
      yield* FakeOllama.make(script, { port })
      const runId = /\d{8}-\d{6}-[a-z0-9]{4}/.exec(binary.stderr())?.[0] ?? ""
      const resumed = yield* start(["resume", runId, "--cluster"])
      const again = yield* Effect.promise(() => resumed.ended)
      expect(again.code, again.stderr + binary.stderr()).toBe(0)
    })
  )
})
