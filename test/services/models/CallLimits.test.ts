/**
 * Servers that hang in every phase of a call, under the clock of the test: which limit ends the call, what is said meanwhile,
 * and what the retry says happened before.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { once } from "node:events"
import { createServer, type AddressInfo } from "node:net"
import { defaultLimits, type Limits } from "../../../src/domain/configuration/Limits.ts"
import type { ModelError } from "../../../src/domain/models/ModelAnswer.ts"
import type { Stage } from "../../../src/domain/runs/ActivityKey.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { makePaint } from "../../../src/cli/terminal/Colour.ts"
import { progressLine } from "../../../src/cli/terminal/Progress.ts"
import { ModelCaller } from "../../../src/services/models/ModelCaller.ts"
import { layerOllama } from "../../../src/services/providers/ollama/OllamaModel.ts"
import { callerLayer } from "../../support/callerLayer.ts"
import { EventLog } from "../../support/EventLog.ts"
import { FakeOllama, type FakeServer } from "../../support/FakeOllama.ts"
import { chatLine, type Reply } from "../../support/FakeOllamaReply.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { inOrder, type Script } from "../../support/FakeOllamaScript.ts"
import { passTime } from "../../support/passTime.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const contextWindow = 8192

const layer = (host: string, limits: Partial<Limits>) =>
  callerLayer(layerOllama({ host, model: fakeModel, contextWindow, maxAnswerTokens: 2048 }), {
    model: fakeModel,
    host,
    contextWindow,
    parallel: 1,
    limits: { ...defaultLimits, ...limits }
  })

const call = (stage: Stage = "plan", task?: string) =>
  Effect.flatMap(ModelCaller, (caller) =>
    caller.ask({
      id: { stage, round: 0, attempt: 1, ...(task === undefined ? {} : { task }) },
      step: 0,
      prompt: { system: "s", user: "u" }
    })
  )

const plain = makePaint(false)
const linesOf = (events: ReadonlyArray<RunEvent>) => events.flatMap((event) => progressLine(event, plain)?.trim() ?? [])
const eventsOf = Effect.map(EventLog, (log) => log.events())

/** Calls a server until the call has ended: how, after how many seconds of the clock, and what was said. */
const called = (host: string, limits: Partial<Limits>, stage: Stage = "plan") =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.result(call(stage)))
    const outcome = yield* passTime(Fiber.join(fiber), "1 second")
    const events = yield* eventsOf
    const error: ModelError | undefined = outcome._tag === "Failure" ? outcome.failure : undefined
    return { error, events, lines: linesOf(events) }
  }).pipe(Effect.provide(layer(host, limits)))

const calledAt = (script: Script, limits: Partial<Limits>, stage: Stage = "plan") =>
  Effect.flatMap(FakeOllama.make(script), ({ url }) => called(url, limits, stage))

/** A server that takes connections and never says a word, not even that of TLS. */
const mute = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((socket) => socket.on("error", () => undefined))
    await once(server.listen(0, "127.0.0.1"), "listening")
    return server
  }),
  (server) => Effect.sync(() => server.close())
)

const half = chatLine(fakeModel, { content: "one" }).slice(0, 30)
const never = "never"

const line = chatLine(fakeModel, { content: "one" })
/** What a server does before the first word, and after it. */
const early: Readonly<Record<string, Reply>> = {
  "accepts and sends no status line": { hold: never },
  "sends a status line and no word": { holdAfter: { lines: 0, latch: never }, text: "Hi" },
  "stops in the middle of its first line": { chunks: [half], end: false },
  "sends nothing but blank lines": { chunks: ["\n", "\n\n", "\n"], end: false }
}
const late: Readonly<Record<string, Reply>> = {
  "stops between two lines": { text: "one two", holdAfter: { lines: 1, latch: never } },
  "stops in the middle of a line": { chunks: [`${line}\n${half}`], end: false },
  "stops while the model thinks": { thinking: "one two", text: "three", holdAfter: { lines: 2, latch: never } },
  "stops before its last line": { text: "one", done: false, end: false }
}

/** Which limit ends the call, as what, and what is waited for meanwhile. */
const silences = [
  [early, "firstWordSeconds", "Busy", "waiting for the first word"],
  [late, "nextWordSeconds", "DiedMidStream", "waiting for the next word"]
] as const

describe("a server that hangs", () => {
  for (const [replies, name, tag, words] of silences) {
    for (const [what, reply] of Object.entries(replies)) {
      nodeTest(`and ${what} is left at its limit, with a word about it`, function* () {
        const { error, events, lines } = yield* calledAt(() => reply, { [name]: 30, brokenRetries: 1 })
        expect(error?.reason._tag).toBe(tag)
        expect(error?.message).toContain(
          `The limit limits.${name} (30 s) ended the call; raise it in your configuration`
        )
        const said = lines.filter((text) => /for (?:9|1\d|2\d) s; is stopped after 30 s$/.test(text))
        expect(said.join("\n")).toContain(words)
        const failures = events.filter((event) => event.type === "model.failed")
        expect(failures).toMatchObject([{ willRetry: true, retry: 1, retries: 1 }, { willRetry: false }])
        const again = events.findLast((event) => event.type === "model.started")
        expect([again?.retry, again?.after]).toStrictEqual([1, failures[0]?.what])
        expect(lines.join("\n")).toMatch(/within 30s\); trying again \(1 of 1\)/)
      })
    }
  }

  nodeTest("and takes no connection is left at the limit for connecting", function* () {
    const { port } = (yield* mute).address() as AddressInfo
    const limits = { connectSeconds: 25, unreachableRetries: 0 }
    const { error, lines } = yield* called(`https://127.0.0.1:${port}`, limits)
    expect(error?.reason._tag).toBe("Unreachable")
    expect(error?.message).toContain("limits.connectSeconds (25 s)")
    expect(lines).toContain("planning: connecting to the model server for 10 s; is stopped after 25 s")
    expect(lines).toContain("planning: connecting to the model server for 20 s; is stopped after 25 s")
  })
})

/** Lets words be read from the socket before the clock goes on. */
const readSocket = Effect.promise(async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
})

/** Sends a piece of the answer every 20 seconds, whatever it is. */
const dripping = (reply: Reply, limits: Partial<Limits>) =>
  Effect.gen(function* () {
    const server = yield* FakeOllama.make(() => reply)
    return yield* Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.result(call()))
      yield* server.until(({ chats }) => chats.length === 1)
      for (let drop = 1; fiber.pollUnsafe() === undefined && drop < 40; drop += 1) {
        yield* server.release(`drop-${drop}`)
        yield* readSocket
        yield* TestClock.adjust("20 seconds")
      }
      const outcome = yield* Fiber.join(fiber)
      return { outcome, server, lines: linesOf(yield* eventsOf) }
    }).pipe(Effect.provide(layer(server.url, limits)))
  })

const drops = (bytes: (index: number) => string): Reply => ({
  drips: Array.from({ length: 60 }, (_, index) => ({ latch: `drop-${index + 1}`, bytes: bytes(index) }))
})

/** A line with one word. */
const word = (index: number) => `${chatLine(fakeModel, { content: `w${index} ` })}\n`

describe("a server that drips", () => {
  nodeTest.each([
    ["a word", word, "callSeconds"],
    ["a thought", (index: number) => `${chatLine(fakeModel, { thinking: `t${index} ` })}\n`, "callSeconds"],
    ["an empty line of JSON", () => `${chatLine(fakeModel, {})}\n`, "callSeconds"],
    ["one byte", (index: number) => chatLine(fakeModel, { content: "one" })[index] ?? " ", "firstWordSeconds"],
    ["a blank line", () => "\n", "firstWordSeconds"]
  ] as const)("%s every 20 seconds ends at a limit, once", function* ([, bytes, name]) {
    const { lines, outcome, server } = yield* dripping(drops(bytes), { callSeconds: 400, brokenRetries: 0 })
    expect(outcome._tag).toBe("Failure")
    expect(outcome._tag === "Failure" ? outcome.failure.message : "").toContain(`The limit limits.${name} `)
    expect(server.chats.length).toBe(1)
    expect(lines.filter((line) => line.includes("; is stopped after ")).length).toBeGreaterThanOrEqual(25)
  })

  nodeTest("is not asked again after the time of a whole call, which it would only take once more", function* () {
    const { lines, server } = yield* dripping(drops(word), { callSeconds: 100, brokenRetries: 5 })
    expect(server.chats.length).toBe(1)
    expect(lines).toContain("planning: waiting for the next word of the model for 10 s; is stopped after 20 s")
  })
})

describe("a server that works on another call", () => {
  nodeTest("has the time for a first word begin anew, and the call is said to wait for its turn", function* () {
    const server: FakeServer = yield* FakeOllama.make((_, index) =>
      index === 0 ? drops(word) : { hold: "turn", text: "done" }
    )
    yield* Effect.gen(function* () {
      yield* Effect.forkChild(Effect.result(call("task", "A")))
      yield* server.until(({ chats }) => chats.length === 1)
      const second = yield* Effect.forkChild(Effect.result(call("task", "B")))
      yield* server.until(({ chats }) => chats.length === 2)
      for (let drop = 1; drop <= 30; drop += 1) {
        yield* server.release(`drop-${drop}`)
        yield* readSocket
        yield* TestClock.adjust("5 seconds")
      }
      expect(second.pollUnsafe()).toBeUndefined()
      yield* server.release("turn")
      const outcome = yield* Fiber.join(second)
      expect(outcome._tag).toBe("Success")
      const lines = linesOf(yield* eventsOf)
      expect(lines.join("\n")).toContain('working on a task for "B": waiting for its turn at the model server for ')
    }).pipe(Effect.provide(layer(server.url, { firstWordSeconds: 30 })))
  })
})

describe("limits of a stage", () => {
  nodeTest("hold for its calls before those of the run", function* () {
    const limits = { firstWordSeconds: 200, stages: { plan: { firstWordSeconds: 20, brokenRetries: 0 } } }
    const { error, events } = yield* calledAt(() => ({ hold: never }), limits)
    expect(error?.message).toContain("limits.firstWordSeconds (20 s)")
    expect(events.filter((event) => event.type === "model.started").length).toBe(1)
  })

  nodeTest.each([
    ["busyRetries", { status: 500, error: "no" }, 4],
    ["busyRetries", { status: 500, error: "no" }, 0],
    ["brokenRetries", { text: "one two", done: false }, 3],
    ["brokenRetries", { text: "one two", done: false }, 0]
  ] as const)("say how often a call is sent again: %s", function* ([name, reply, times]) {
    const { error, events, lines } = yield* calledAt(() => reply, { [name]: times })
    const named = `It was sent ${times + 1} times (limits.${name} is ${times}).`
    expect(error?.message.includes(named)).toBe(times > 0)
    expect(events.filter((event) => event.type === "model.started").length).toBe(times + 1)
    expect(lines.filter((line) => line.includes(`of ${times})`)).length).toBe(times)
  })

  nodeTest("count each reason for itself: an error of the server, and a broken connection", function* () {
    const script = inOrder({ status: 500, error: "no" }, { text: "one two", done: false }, "done")
    const { error, events } = yield* calledAt(script, { busyRetries: 1, brokenRetries: 1 })
    expect(error).toBeUndefined()
    expect(
      events.flatMap((event) => (event.type === "model.failed" ? [[event.reason, event.retry, event.retries]] : []))
    ).toStrictEqual([
      ["Busy", 1, 1],
      ["DiedMidStream", 1, 1]
    ])
  })

  nodeTest("send nothing again to a machine without memory for the model", function* () {
    const said = "model requires more system memory (6.0 GiB) than is available (3.2 GiB)"
    const { error, events } = yield* calledAt(() => ({ status: 500, error: said }), { busyRetries: 3 })
    expect(error?.reason._tag).toBe("Refused")
    expect(error?.message).toContain("take a smaller model, lower contextWindow or --parallel")
    expect(events.filter((event) => event.type === "model.started")).toHaveLength(1)
  })
})
