/**
 * Servers that hang in every phase of a call, under the clock of the test: which limit ends the call, what is said meanwhile,
 * and what the retry says happened before.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { createServer, type AddressInfo, type Socket } from "node:net"
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
  Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on("error", () => undefined)
    })
    const close = () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ port: (server.address() as AddressInfo).port, close })))
  }),
  ({ close }) => Effect.sync(close)
)

const half = chatLine(fakeModel, { content: "one" }).slice(0, 30)
const never = "never"

/** What a server does, which limit ends the call, and as what. */
const silences: ReadonlyArray<readonly [what: string, reply: Reply, limit: keyof Limits, tag: string]> = [
  ["accepts and sends no status line", { hold: never }, "firstWordSeconds", "Busy"],
  [
    "sends a status line and no word",
    { holdAfter: { lines: 0, latch: never }, text: "Hi" },
    "firstWordSeconds",
    "Busy"
  ],
  ["stops in the middle of its first line", { chunks: [half], end: false }, "firstWordSeconds", "Busy"],
  ["sends nothing but blank lines", { chunks: ["\n", "\n\n", "\n"], end: false }, "firstWordSeconds", "Busy"],
  [
    "stops between two lines",
    { text: "one two", holdAfter: { lines: 1, latch: never } },
    "nextWordSeconds",
    "DiedMidStream"
  ],
  [
    "stops in the middle of a line",
    { chunks: [`${chatLine(fakeModel, { content: "one" })}\n${half}`], end: false },
    "nextWordSeconds",
    "DiedMidStream"
  ],
  [
    "stops while the model thinks",
    { thinking: "one two", text: "three", holdAfter: { lines: 2, latch: never } },
    "nextWordSeconds",
    "DiedMidStream"
  ],
  ["stops before its last line", { text: "one", done: false, end: false }, "nextWordSeconds", "DiedMidStream"]
]

describe("a server that hangs", () => {
  it.effect.each(silences)("and %s is left at its limit, with a word about it", ([, reply, name, tag]) =>
    Effect.gen(function* () {
      const { error, events, lines } = yield* calledAt(() => reply, { [name]: 30, brokenRetries: 1 })
      assert.strictEqual(error?.reason._tag, tag)
      assert.include(error?.message, `The limit limits.${name} (30 s) ended the call; raise it in your configuration`)
      const words = name === "firstWordSeconds" ? "waiting for the first word" : "waiting for the next word"
      assert.isTrue(
        lines.some((line) => /for (?:9|1\d|2\d) s; is stopped after 30 s$/.test(line) && line.includes(words)),
        lines.join("\n")
      )
      const [first, second] = events.filter((event) => event.type === "model.failed")
      assert.include({ ...first }, { willRetry: true, retry: 1, retries: 1 })
      assert.include({ ...second }, { willRetry: false })
      const again = events.findLast((event) => event.type === "model.started")
      assert.deepStrictEqual([again?.retry, again?.after], [1, first?.what])
      assert.match(lines.join("\n"), /within 30s\); trying again \(1 of 1\)/)
    })
  )

  it.effect("and takes no connection is left at the limit for connecting", () =>
    Effect.gen(function* () {
      const { port } = yield* mute
      const limits = { connectSeconds: 25, unreachableRetries: 0 }
      const { error, lines } = yield* called(`https://127.0.0.1:${port}`, limits)
      assert.strictEqual(error?.reason._tag, "Unreachable")
      assert.include(error?.message, "limits.connectSeconds (25 s)")
      assert.include(lines, "planning: connecting to the model server for 10 s; is stopped after 25 s")
      assert.include(lines, "planning: connecting to the model server for 20 s; is stopped after 25 s")
    })
  )

  it.effect("is told about at least every ten seconds", () =>
    Effect.gen(function* () {
      const { url } = yield* FakeOllama.make(() => ({ hold: never }))
      yield* Effect.gen(function* () {
        yield* Effect.forkChild(Effect.result(call()))
        yield* passTime(TestClock.adjust("295 seconds"), "1 second")
        const times = (yield* EventLog).recorded().map(({ at }) => Date.parse(at) / 1000)
        const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0))
        assert.isAtMost(Math.max(...gaps), 10)
        assert.isAtLeast(times.length, 29)
      }).pipe(Effect.provide(layer(url, {})))
    })
  )
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
        // The words are read from the socket before the clock goes on.
        for (let turn = 0; turn < 5; turn += 1)
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
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
  it.effect.each([
    ["a word", word, "callSeconds"],
    ["a thought", (index: number) => `${chatLine(fakeModel, { thinking: `t${index} ` })}\n`, "callSeconds"],
    ["an empty line of JSON", () => `${chatLine(fakeModel, {})}\n`, "callSeconds"],
    ["one byte", (index: number) => chatLine(fakeModel, { content: "one" })[index] ?? " ", "firstWordSeconds"],
    ["a blank line", () => "\n", "firstWordSeconds"]
  ] as const)("%s every 20 seconds ends at a limit, once", ([, bytes, name]) =>
    Effect.gen(function* () {
      const { lines, outcome, server } = yield* dripping(drops(bytes), { callSeconds: 400, brokenRetries: 0 })
      assert.strictEqual(outcome._tag, "Failure")
      assert.include(outcome._tag === "Failure" ? outcome.failure.message : "", `The limit limits.${name} `)
      assert.strictEqual(server.chats.length, 1)
      assert.isAtLeast(lines.filter((line) => line.includes("; is stopped after ")).length, 25)
    })
  )

  it.effect("is not asked again after the time of a whole call, which it would only take once more", () =>
    Effect.gen(function* () {
      const { lines, server } = yield* dripping(drops(word), { callSeconds: 100, brokenRetries: 5 })
      assert.strictEqual(server.chats.length, 1)
      assert.include(lines, "planning: waiting for the next word of the model for 10 s; is stopped after 20 s")
    })
  )
})

describe("a server that works on another call", () => {
  it.effect("has the time for a first word begin anew, and the call is said to wait for its turn", () =>
    Effect.gen(function* () {
      const server: FakeServer = yield* FakeOllama.make((_, index) =>
        index === 0
          ? {
              drips: Array.from({ length: 60 }, (_, drop) => ({
                latch: `drop-${drop + 1}`,
                bytes: `${chatLine(fakeModel, { content: `w${drop} ` })}\n`
              }))
            }
          : { hold: "turn", text: "done" }
      )
      yield* Effect.gen(function* () {
        yield* Effect.forkChild(Effect.result(call("task", "A")))
        yield* server.until(({ chats }) => chats.length === 1)
        const second = yield* Effect.forkChild(Effect.result(call("task", "B")))
        yield* server.until(({ chats }) => chats.length === 2)
        for (let drop = 1; drop <= 30; drop += 1) {
          yield* server.release(`drop-${drop}`)
          for (let turn = 0; turn < 5; turn += 1)
            yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          yield* TestClock.adjust("5 seconds")
        }
        assert.isUndefined(second.pollUnsafe())
        yield* server.release("turn")
        const outcome = yield* Fiber.join(second)
        assert.strictEqual(outcome._tag, "Success")
        const lines = linesOf(yield* eventsOf)
        assert.isTrue(
          lines.some((line) =>
            line.startsWith('working on a task for "B": waiting for its turn at the model server for ')
          ),
          lines.join("\n")
        )
      }).pipe(Effect.provide(layer(server.url, { firstWordSeconds: 30 })))
    })
  )
})

describe("limits of a stage", () => {
  it.effect("hold for its calls before those of the run", () =>
    Effect.gen(function* () {
      const limits = { firstWordSeconds: 200, stages: { plan: { firstWordSeconds: 20, brokenRetries: 0 } } }
      const { error, events } = yield* calledAt(() => ({ hold: never }), limits)
      assert.include(error?.message, "limits.firstWordSeconds (20 s)")
      assert.strictEqual(events.filter((event) => event.type === "model.started").length, 1)
    })
  )

  it.effect("leave those of other stages alone", () =>
    Effect.gen(function* () {
      const limits = { firstWordSeconds: 40, brokenRetries: 0, stages: { plan: { firstWordSeconds: 20 } } }
      const { error } = yield* calledAt(() => ({ hold: never }), limits, "task")
      assert.include(error?.message, "limits.firstWordSeconds (40 s)")
    })
  )

  it.effect.each([
    ["busyRetries", { status: 500, error: "no" }, 4],
    ["busyRetries", { status: 500, error: "no" }, 0],
    ["brokenRetries", { text: "one two", done: false }, 3],
    ["brokenRetries", { text: "one two", done: false }, 0]
  ] as const)("say how often a call is sent again: %s", ([name, reply, times]) =>
    Effect.gen(function* () {
      const { error, events, lines } = yield* calledAt(() => reply, { [name]: times })
      const named = `It was sent ${times + 1} times (limits.${name} is ${times}).`
      assert.strictEqual(error?.message.includes(named), times > 0)
      assert.strictEqual(events.filter((event) => event.type === "model.started").length, times + 1)
      assert.strictEqual(lines.filter((line) => line.includes(`of ${times})`)).length, times)
    })
  )

  it.effect("count each reason for itself: an error of the server and a broken connection are not twice the same", () =>
    Effect.gen(function* () {
      const script = inOrder({ status: 500, error: "no" }, { text: "one two", done: false }, "done")
      const { error, events } = yield* calledAt(script, { busyRetries: 1, brokenRetries: 1 })
      assert.isUndefined(error)
      assert.deepStrictEqual(
        events.flatMap((event) => (event.type === "model.failed" ? [[event.reason, event.retry, event.retries]] : [])),
        [
          ["Busy", 1, 1],
          ["DiedMidStream", 1, 1]
        ]
      )
    })
  )

  it.effect("send nothing again to a machine without memory for the model", () =>
    Effect.gen(function* () {
      const said = "model requires more system memory (6.0 GiB) than is available (3.2 GiB)"
      const { error, events } = yield* calledAt(() => ({ status: 500, error: said }), { busyRetries: 3 })
      assert.strictEqual(error?.reason._tag, "Refused")
      assert.include(error?.message, "take a smaller model, lower contextWindow or --parallel")
      assert.lengthOf(
        events.filter((event) => event.type === "model.started"),
        1
      )
    })
  )

  it.effect("let a retry succeed, which says what happened before", () =>
    Effect.gen(function* () {
      const { error, events } = yield* calledAt(inOrder({ hold: never }, "done"), { firstWordSeconds: 30 })
      assert.isUndefined(error)
      assert.deepInclude(
        events.findLast((event) => event.type === "model.started"),
        {
          retry: 1,
          after: "no first token within 30s"
        }
      )
    })
  )
})
