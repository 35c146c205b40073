import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { type RunEvent, isHeartbeat, isTransient } from "../../../src/domain/runs/RunEvent.ts"
import { type CallLife, makeHeartbeat } from "../../../src/services/models/CallHeartbeat.ts"
import { CurrentServer, unknownFacts } from "../../../src/services/providers/Provider.ts"
import { RunEvents } from "../../../src/services/runs/RunEvents.ts"
import { EventLog } from "../../support/EventLog.ts"
import { callOf } from "../../support/LiveEvents.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const limits = { connect: 300, firstWord: 300, nextWord: 300, call: 1800 }

type Progress = Extract<RunEvent, { readonly type: "model.progress" }>

/** `loading 3`, `writing 1, 30 tokens, 15/s` */
const words = ({ phase, seconds, tokens, tokensPerSecond }: Progress): string =>
  [
    `${phase} ${seconds}`,
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
    ...(tokensPerSecond === undefined ? [] : [`${tokensPerSecond}/s`])
  ].join(", ")

const progressIn = (events: ReadonlyArray<RunEvent>, task?: string): ReadonlyArray<string> =>
  events.flatMap((event) => (event.type === "model.progress" && event.call.task === task ? [words(event)] : []))

/** What happens to a call, each after so many seconds. */
type Course = ReadonlyArray<readonly [seconds: number, happens: (life: CallLife) => void]>

const readThrough = (course: Course) => (life: CallLife) =>
  Effect.forEach(
    course,
    ([seconds, happens]) =>
      Effect.andThen(
        Effect.sleep(`${seconds} seconds`),
        Effect.sync(() => happens(life))
      ),
    { discard: true }
  )

const loadedFrom = (second: number | undefined) => () =>
  Effect.map(Clock.currentTimeMillis, (now) => (second === undefined ? undefined : now >= second * 1000))

/** What is told of calls one after another; the server lists the model from a certain second on, or tells nothing. */
const told = (courses: ReadonlyArray<Course>, listedAt: number | undefined, stage: "plan" | "conclude" = "plan") =>
  Effect.gen(function* () {
    const follow = yield* makeHeartbeat(yield* RunEvents, 1).pipe(
      Effect.provideService(CurrentServer, {
        facts: () => Effect.succeed(unknownFacts),
        isLoaded: loadedFrom(listedAt)
      })
    )
    const followed = {
      call: callOf(stage),
      model: "m",
      limits,
      charactersPerToken: 4,
      reportsText: stage === "conclude"
    }
    const all = Effect.forEach(courses, (course) => follow(followed, readThrough(course)), { discard: true })
    const fiber = yield* Effect.forkChild(all, { startImmediately: true })
    yield* TestClock.adjust("60 seconds")
    yield* Fiber.join(fiber)
    return (yield* EventLog).events()
  }).pipe(Effect.provide(EventLog.layer))

const connect = [0, (life: CallLife) => life.connected()] as const
const wait = (seconds: number) => [seconds, () => undefined] as const
const heard = (seconds: number, characters: number) => [seconds, (life: CallLife) => life.onPart(characters)] as const

describe("model.progress", () => {
  nodeTest("says that a model loads while the server does not have it, and then only what is known", function* () {
    const events = yield* told([[connect, heard(8.5, 4), heard(2, 120), wait(1)]], 3.5)
    assert.deepStrictEqual(progressIn(events), [
      "loading 0",
      "loading 1",
      "loading 2",
      "loading_or_reading 0",
      "loading_or_reading 1",
      "loading_or_reading 2",
      "loading_or_reading 3",
      "loading_or_reading 4",
      "writing 0, 1 tokens",
      "writing 1, 1 tokens, 0.7/s",
      "writing 2, 30 tokens, 12/s"
    ])
  })

  nodeTest("says that a prompt is read when the model has answered before", function* () {
    for (const listedAt of [undefined, 0]) {
      const events = yield* told(
        [
          [connect, heard(0.5, 4)],
          [connect, wait(2.5)]
        ],
        listedAt
      )
      assert.deepStrictEqual(progressIn(events), ["reading 0", "reading 1"])
    }
  })

  nodeTest("does not know it of a server that tells nothing, nor that a connection stands", function* () {
    const events = yield* told([[wait(2.5), connect, wait(1)]], undefined)
    assert.deepStrictEqual(progressIn(events), ["connecting 1", "connecting 2", "loading_or_reading 0"])
  })

  nodeTest("tells thinking from writing", function* () {
    const think = [0, (life: CallLife) => life.entered("thinking")] as const
    const write = [0, (life: CallLife) => life.entered("writing")] as const
    const events = yield* told([[connect, heard(0.5, 4), think, heard(1, 40), write, heard(1, 80), wait(0.6)]], 0)
    assert.deepStrictEqual(progressIn(events), [
      "thinking 0, 1 tokens",
      "writing 0, 10 tokens, 6.7/s",
      "writing 1, 20 tokens, 8/s"
    ])
  })

  nodeTest("is nothing for a call that takes a moment", function* () {
    assert.deepStrictEqual(yield* told([[connect, heard(0.9, 400)]], 0), [])
  })
})

const write = (seconds: number, piece: string) => [seconds, (life: CallLife) => life.wrote(piece)] as const

const texts = (events: ReadonlyArray<RunEvent>): ReadonlyArray<string> =>
  events.flatMap((event) => (event.type === "answer.piece" ? [event.text] : []))

describe("answer.piece", () => {
  nodeTest("holds what was written since the one before, for the answer of the run only", function* () {
    const course = [connect, write(0.1, "One "), write(0.01, "two "), write(0.5, "three"), wait(0.3)]
    assert.deepStrictEqual(texts(yield* told([course], 0, "conclude")), ["One two ", "three"])
    assert.deepStrictEqual(texts(yield* told([course], 0, "plan")), [])
  })
})

it("what comes every second is never saved", () => {
  const call = callOf("plan")
  const progress: RunEvent = { type: "model.progress", call, phase: "reading", seconds: 1 }
  const piece: RunEvent = { type: "answer.piece", call, text: "a" }
  const waiting: RunEvent = { type: "model.waiting", call, phase: "turn", seconds: 10, endsAtSeconds: 30 }
  assert.deepStrictEqual([progress, piece, waiting].map(isHeartbeat), [true, true, true])
  assert.deepStrictEqual([progress, piece, waiting].map(isTransient), [true, true, false])
})
