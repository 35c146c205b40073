import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { askedOf, makeCluster, runIdIn } from "../../support/Cluster.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import type { ChatBody } from "../../support/FakeOllamaScript.ts"
import { type CompletionBody, FakeOpenAi, fakeOpenAiModel } from "../../support/FakeOpenAi.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"
import { answerIn, noonAnswer, planOf, resultSaying } from "../../support/TestRun.ts"
import { stageNameOf } from "../../support/stageName.ts"

const names = Array.from({ length: 8 }, (_, index) => `Look ${index + 1}`)

const script = (body: ChatBody): string => {
  const { stage, task } = askedOf(body)
  const creation = planOf([names.map((name) => ({ name }))])
  return answerIn(stage, { creation, execution: resultSaying(`Result of ${task}.`) })
}

const answer = ({ messages }: CompletionBody): string => noonAnswer(stageNameOf(messages))

/** A server that can be stopped before the end of the test, and its port. */
const stoppable = Effect.fnUntraced(function* <A extends { readonly url: string }, E, R>(make: Effect.Effect<A, E, R>) {
  const scope = yield* Scope.make()
  const server = yield* Scope.provide(make, scope)
  return { server, stop: Scope.close(scope, Exit.void), port: Number(new URL(server.url).port) }
})

const reportsTask = (body: ChatBody): boolean => askedOf(body).stage === "execution"

describe("a worker whose model server is gone", needsPostgres, () => {
  liveTest("gives its work to one whose server answers, also what has begun, and the run goes on", function* () {
    const { begin, worker } = yield* makeCluster
    const held = (body: ChatBody) => ({ text: script(body), ...(reportsTask(body) ? { hold: "gone" } : {}) })
    const { port, server, stop } = yield* stoppable(FakeOllama.make(held))

    const { binary } = yield* worker(script, [], { OLLAMA_HOST: server.url })
    const client = yield* begin()
    yield* server.until(({ chats }) => chats.some(reportsTask))
    const second = yield* worker(script)
    yield* stop
    const { code, stderr } = yield* Effect.promise(() => client.ended)
    expect(code, stderr + binary.stderr()).toBe(0)
    expect(binary.stderr()).toContain("Other workers take its work until it answers.")
    expect(second.binary.stderr()).toContain("works on")
    yield* FakeOllama.make(script, { port })
    yield* Effect.promise(() => binary.says("The model server answers again"))
  })

  liveTest("waits with the run when there is no other, whatever kind of server it is, and goes on", function* () {
    const { start } = yield* makeCluster
    const held = (body: CompletionBody) => ({ text: answer(body), hold: "gone" })
    const { port, server, stop } = yield* stoppable(FakeOpenAi.make(held))

    const worker = yield* start(["worker"], { OPENAI_BASE_URL: server.url })
    yield* Effect.promise(() => worker.says("The worker is ready"))
    const client = yield* start(["run", "--cluster", "--model", `openai:${fakeOpenAiModel}`, "What time is it?"])
    yield* server.until(({ chats }) => chats.length > 0)
    yield* stop
    yield* Effect.promise(() => client.says("No worker has a model server that answers; the run waits for one."))
    yield* FakeOpenAi.make(answer, { port })
    const { code, stderr } = yield* Effect.promise(() => client.ended)
    expect(code, stderr + worker.stderr()).toBe(0)
    expect(worker.stderr()).toContain("it waits 300 s (limits.serverWaitSeconds)")
  })

  liveTest("lets the run end when no worker had a server for long enough, and it can be resumed", function* () {
    const { begin, ended, sandbox, worker } = yield* makeCluster
    const settings = { sandbox: { mode: "off" }, limits: { serverWaitSeconds: 1 } }
    sandbox.write("config/task-conductor/config.json", JSON.stringify(settings))
    const held = (body: ChatBody) => ({ text: script(body), hold: "gone" })
    const { port, server, stop } = yield* stoppable(FakeOllama.make(held))

    const { binary } = yield* worker(script, [], { OLLAMA_HOST: server.url })
    const client = yield* begin()
    yield* server.until(({ chats }) => chats.length > 0)
    yield* stop
    const { code, stderr } = yield* Effect.promise(() => client.ended)
    expect(code, stderr + binary.stderr()).toBe(5)
    yield* FakeOllama.make(script, { port })
    const again = yield* ended(["resume", runIdIn(binary.stderr()), "--cluster"])
    expect(again.code, again.stderr + binary.stderr()).toBe(0)
  })
})
