import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { askedOf, makeCluster } from "../support/Cluster.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import type { ChatBody } from "../support/FakeOllamaScript.ts"
import { liveTest } from "../support/liveTest.ts"
import { needsPostgres } from "../support/Postgres.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"

const names = Array.from({ length: 8 }, (_, index) => `Look ${index + 1}`)

const script = (body: ChatBody): string => {
  const { stage, task } = askedOf(body)
  if (stage === "creation") return planOf([names.map((name) => ({ name }))])
  if (stage === "refinement") return refinementWith([{ name: "get_current_time", arguments: {} }])
  if (stage === "execution") return resultSaying(`Result of ${task}.`)
  return stage === "iteration" ? planOf([]) : "All is done."
}

describe("a worker whose model server is gone", { timeout: 120_000, ...needsPostgres }, () => {
  liveTest("gives its work to one whose server answers, and the run goes on", () =>
    Effect.gen(function* () {
      const { begin, sandbox, worker } = yield* makeCluster
      sandbox.write(
        "config/task-conductor/config.json",
        JSON.stringify({ sandbox: { mode: "off" }, limits: { serverWaitSeconds: 0 } })
      )
      const scope = yield* Scope.make()
      const held = (body: ChatBody) => (askedOf(body).task === "" ? script(body) : { text: script(body), hold: "gone" })
      const server = yield* Scope.provide(FakeOllama.make(held), scope)
      const { binary } = yield* worker(script, [], { OLLAMA_HOST: server.url })
      const client = yield* begin()
      yield* server.until(({ chats }) => chats.some((body) => askedOf(body).task !== ""))
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
})
