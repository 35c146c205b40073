/** The command line with a model that thinks, and with a server that stops or never answers. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { liveTest } from "../support/liveTest.ts"
import type { FakeModel } from "../support/FakeOllamaPaths.ts"
import type { Script } from "../support/FakeOllamaScript.ts"
import { sandbox, obedient, serve, windows, ask, env } from "../support/OneModelServer.ts"

/** Never answers the second request. */
const silent: Script = (body, index) => (index === 1 ? { text: "never", hold: "never" } : obedient(body, index))

/** Thinks before each answer, now in the field for it and now in tags. */
const thinker: Script = (body, index) => {
  const text = String(obedient(body, index))
  return index % 2 === 0 ? { thinking: "SECRET thoughts.", text } : `<think>\nSECRET thoughts.\n</think>\n\n${text}`
}

describe("a model that thinks", () => {
  liveTest("is shown as thinking, and what it thought is in no result", function* () {
    const { run } = yield* sandbox
    const server = yield* serve({}, { script: thinker })
    const plain = yield* Effect.promise(() => run(ask, env(server)))
    assert.deepStrictEqual([plain.code, plain.stdout], [0, "It is noon.\n"])
    const json = yield* Effect.promise(() => run([...ask, "--json"], env(server)))
    const lines = json.stdout.trim().split("\n")
    const events = lines.map((line) => JSON.parse(line) as { readonly type: string; readonly phase?: string })
    const phases = events.filter(({ type }) => type === "model.phase").map(({ phase }) => phase)
    const inTurn = Array.from({ length: 14 }, (_, index) => (index % 2 === 0 ? "thinking" : "writing"))
    assert.deepStrictEqual<unknown>(phases, inTurn)
    assert.notInclude(json.stdout, "SECRET")
  })
})

describe("a server that stops in the middle of a run", () => {
  /** A server whose refinement never comes, to be stopped meanwhile. */
  const stoppable = Effect.fnUntraced(function* (model: Partial<FakeModel>) {
    const scope = yield* Scope.make()
    const server = yield* Scope.provide(serve(model, { script: silent }), scope)
    return { server, stop: Scope.close(scope, Exit.void), port: Number(new URL(server.url).port) }
  })

  liveTest("is waited for, and the run goes on when it is back", function* () {
    const { start } = yield* sandbox
    const { port, server, stop } = yield* stoppable({})
    const running = start(ask, env(server))
    yield* server.until(({ chats }) => chats.length === 2)
    yield* stop
    yield* Effect.promise(() => running.says("for the model server, 5 min left"))
    const again = yield* serve({}, { port })
    const { code, stderr, stdout } = yield* Effect.promise(() => running.ended)
    assert.deepStrictEqual([code, stdout], [0, "It is noon.\n"])
    assert.include(stderr, "the model server is back after")
    assert.strictEqual(again.chats.length, 6)
  })

  liveTest("and stays away leaves a run that can be resumed, with the window that it had", function* () {
    const { run, start, write } = yield* sandbox
    write("config/task-conductor/config.json", JSON.stringify({ limits: { serverWaitSeconds: 1 } }))
    const { port, server, stop } = yield* stoppable({ parameters: "num_ctx 12288" })
    const running = start(ask, env(server))
    yield* server.until(({ chats }) => chats.length === 2)
    yield* stop
    const { code, stderr } = yield* Effect.promise(() => running.ended)
    assert.strictEqual(code, 5)
    assert.include(stderr, "The run waited 1 s for it (limits.serverWaitSeconds).")
    assert.match(stderr, /Resume it: task-conductor resume \S+\n$/)
    const again = yield* serve({}, { port })
    const resumed = yield* Effect.promise(() => run(["resume", "last"], env(again)))
    assert.deepStrictEqual([resumed.code, resumed.stdout, windows(again)], [0, "It is noon.\n", [12_288]])
  })
})
