/** Calls of a run while a real server on the loopback stops, comes back or has too much to do. */
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { ModelCaller } from "../../../src/services/models/ModelCaller.ts"
import { layerOllama } from "../../../src/services/providers/ollama/OllamaModel.ts"
import { callerLayer } from "../../support/callerLayer.ts"
import { EventLog } from "../../support/EventLog.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import type { Script } from "../../support/FakeOllamaScript.ts"
import { passTime } from "../../support/passTime.ts"
import { waitFor } from "../../support/waitFor.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const contextWindow = 8192

const layer = (host: string, serverWaitSeconds: number) =>
  callerLayer(layerOllama({ host, model: fakeModel, contextWindow, maxAnswerTokens: 2048 }), {
    model: fakeModel,
    host,
    contextWindow,
    parallel: 8,
    limits: { ...defaultLimits, serverWaitSeconds }
  })

const call = (task: string, hear: (delta: string) => void = () => undefined) =>
  Effect.flatMap(ModelCaller, (caller) =>
    caller.ask({
      id: { stage: "task", round: 1, task, attempt: 1 },
      step: 0,
      prompt: { system: "s", user: task },
      listen: () => hear
    })
  )

/** A server that can be stopped, and started again at its port. */
const stoppable = Effect.fnUntraced(function* (script: Script) {
  const scope = yield* Scope.make()
  const first = yield* Scope.provide(FakeOllama.make(script), scope)
  return {
    first,
    stop: Scope.close(scope, Exit.void),
    start: FakeOllama.make(script, { port: Number(new URL(first.url).port) })
  }
})

/** Calls of a run, at a server that can be stopped and for which it waits so long. */
const atServer = (
  name: string,
  { script = () => "ok", seconds }: { readonly script?: Script; readonly seconds: number },
  body: (
    server: Effect.Success<ReturnType<typeof stoppable>>
  ) => Generator<Effect.Effect<unknown, unknown, ModelCaller | EventLog | Scope.Scope>, void, never>
) =>
  it.effect(name, () =>
    Effect.flatMap(stoppable(script), (server) =>
      Effect.provide(
        Effect.gen(() => body(server)),
        layer(server.first.url, seconds)
      )
    )
  )

/** Lets the test clock go on until the fiber has ended. */
const ended = <A, E>(fiber: Fiber.Fiber<A, E>) => passTime(Effect.result(Fiber.join(fiber)), "1 second")

const eventsOf = Effect.map(EventLog, (log) => log.events())

describe("a server that stops", () => {
  atServer("is waited for by all calls together, which go on when it is back", { seconds: 300 }, function* (server) {
    yield* call("before")
    yield* server.stop
    const open = yield* Effect.forEach(["a", "b", "c", "d", "e"], (task) => Effect.forkChild(call(task)))
    const log = yield* EventLog
    const failures = () => log.events().filter((event) => event.type === "model.failed").length
    yield* waitFor("five failures", () => failures() === 5)
    // A minute later each of them has not been tried for itself: 5 seconds lie between two tries of all.
    for (let second = 0; second < 60; second += 1) {
      yield* TestClock.adjust("1 second")
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
    expect(failures()).toBe(5)
    const again = yield* server.start
    const outcomes = yield* Effect.forEach(open, ended)
    expect(outcomes.map((outcome) => outcome._tag)).toEqual(Array.from({ length: 5 }, () => "Success"))
    expect(again.chats.length).toBe(5)
    const events = yield* eventsOf
    expect(events.filter((event) => event.type === "model.started").length).toBe(6)
    const waiting = events.flatMap((event) => (event.type === "server.waiting" ? [event] : []))
    expect(waiting[0]).toMatchObject({ reason: "Unreachable", secondsLeft: 300 })
    expect(waiting.length).toBeGreaterThanOrEqual(4)
    expect(waiting.length).toBeLessThanOrEqual(7)
    expect(waiting.map(({ secondsLeft }) => secondsLeft)).toEqual(
      waiting.map(({ secondsLeft }) => secondsLeft).toSorted((a, b) => b - a)
    )
    expect(events.filter((event) => event.type === "server.back").length).toBe(1)
  })

  atServer(
    "in the middle of an answer is waited for as well",
    {
      seconds: 300,
      script: (_, index) => (index === 0 ? { text: "one two", holdAfter: { lines: 1, latch: "never" } } : "ok")
    },
    function* (server) {
      let heard = ""
      const open = yield* Effect.forkChild(call("a", (delta) => void (heard += delta)))
      yield* waitFor("the first word", () => heard !== "")
      const log = yield* EventLog
      yield* server.stop
      const failure = () => log.events().some((event) => event.type === "model.failed")
      yield* waitFor("the failure", failure)
      yield* TestClock.adjust("1 second")
      yield* waitFor("a wait", () => log.events().some((event) => event.type === "server.waiting"))
      const again = yield* server.start
      expect((yield* eventsOf).filter((event) => event.type === "model.failed")).toMatchObject([
        { reason: "DiedMidStream" },
        { reason: "Unreachable" }
      ])
      yield* passTime(
        again.until(({ chats }) => chats.length === 1),
        "1 second"
      )
      yield* Fiber.interrupt(open)
    }
  )

  atServer("and does not come back ends each call once, after the time for all", { seconds: 30 }, function* (server) {
    yield* call("before")
    yield* server.stop
    const open = yield* Effect.forEach(["a", "b", "c"], (task) => Effect.forkChild(call(task)))
    const outcomes = yield* Effect.forEach(open, ended)
    const messages = outcomes.map((outcome) => (outcome._tag === "Failure" ? outcome.failure.message : ""))
    expect(messages[0]).toContain('Start it with "ollama serve"')
    expect(messages.map((message) => message.split("embedded. ")[1])).toEqual(
      Array.from({ length: 3 }, () => "The run waited 30 s for it (limits.serverWaitSeconds).")
    )
    const failed = (yield* eventsOf).flatMap((event) => (event.type === "model.failed" ? [event.willRetry] : []))
    expect(failed.toSorted()).toEqual([false, false, false, true, true, true])
    // What is asked later does not begin a new wait.
    const later = yield* Effect.flip(call("later"))
    expect(later.reason._tag).toBe("Unreachable")
  })

  atServer("is not waited for when nobody wants to wait", { seconds: 0 }, function* (server) {
    yield* call("before")
    yield* server.stop
    const outcome = yield* ended(yield* Effect.forkChild(call("a")))
    expect(outcome._tag).toBe("Failure")
    const events = yield* eventsOf
    expect(events.some((event) => event.type === "server.waiting")).toBe(false)
    expect(events.filter((event) => event.type === "model.failed").length).toBe(3)
  })

  atServer("before it ever answered is not waited for: nobody started it", { seconds: 300 }, function* (server) {
    yield* server.stop
    const outcome = yield* ended(yield* Effect.forkChild(call("a")))
    expect(outcome).toMatchObject({ failure: { reason: { _tag: "Unreachable" } } })
    expect((yield* eventsOf).some((event) => event.type === "server.waiting")).toBe(false)
  })

  atServer(
    "leaves the wait to the others when the call that tries is interrupted",
    { seconds: 300 },
    function* (server) {
      yield* call("before")
      yield* server.stop
      const log = yield* EventLog
      const waits = () => log.events().some((event) => event.type === "server.waiting")
      const first = yield* Effect.forkChild(call("a"))
      yield* waitFor("a wait", waits)
      const second = yield* Effect.forkChild(call("b"))
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* Fiber.interrupt(first)
      yield* server.start
      expect((yield* ended(second))._tag).toBe("Success")
    }
  )
})

describe("a server that has too much to do", () => {
  nodeTest.each([503, 429, 502, 504])("is waited for, even as the first thing that it says: %i", function* (status) {
    let left = 6
    const server = yield* FakeOllama.make(() => ((left -= 1) >= 0 ? { status, error: "server busy" } : "ok"))
    yield* Effect.gen(function* () {
      const outcome = yield* ended(yield* Effect.forkChild(call("a")))
      expect(outcome._tag).toBe("Success")
      expect(server.chats.length).toBe(7)
      const events = yield* eventsOf
      expect(events.some((event) => event.type === "server.waiting" && event.reason === "Busy")).toBe(true)
      expect(events.filter((event) => event.type === "model.failed").length).toBe(1)
    }).pipe(Effect.provide(layer(server.url, 300)))
  })
})
