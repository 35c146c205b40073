/**
 * Activities and stages over several sessions of a run, on a journal on the disk.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Activities, type Activity } from "../../../src/services/journal/Activities.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import { readRecords } from "../../../src/services/journal/JournalLine.ts"
import { readJournal } from "../../../src/services/journal/JournalReader.ts"
import { inSession, layerJournal, makeJournal, writtenTo } from "../../support/JournalSession.ts"
import { nodeTest } from "../../support/nodeTest.ts"

/** Counts; its encoded form is a text, so that what is recorded differs from what the stages see. */
const Count = Schema.NumberFromString

/** A stage or activity that counts how often it is executed, and lists what it publishes. */
const counter = () => {
  const told: Array<number> = []
  let count = 0
  const execute = Effect.sync(() => (count += 1))
  const activity = (input: string): Activity<number, never, never> => ({
    key: "plan/attempt-1",
    input,
    success: Count,
    error: Schema.Never,
    execute,
    emit: (outcome) => Effect.sync(() => void told.push(outcome))
  })
  return { activity, execute, told }
}

const [input, other] = ["a".repeat(64), "b".repeat(64)]
const plan = { key: "plan", success: Count }

const run = <A, E>(activity: Activity<A, E, never>) => Effect.flatMap(Activities, (it) => it.run(activity))

describe("Activities", () => {
  nodeTest("returns the recorded outcome of the same input in a later session, without publishing it", function* () {
    const file = yield* makeJournal
    const { activity, told } = counter()
    expect(yield* inSession(file, run(activity(input)))).toBe(1)
    expect(yield* inSession(file, run(activity(input)))).toBe(1)
    expect(yield* inSession(file, run(activity(other)))).toBe(2)
    expect(told).toEqual([1, 2])
    expect(yield* writtenTo(file)).toEqual([
      { type: "outcome", key: `plan/attempt-1#${"a".repeat(16)}`, value: "1" },
      { type: "outcome", key: `plan/attempt-1#${"b".repeat(16)}`, value: "2" }
    ])
  })

  nodeTest("publishes an outcome only when it is on the disk", function* () {
    const file = yield* makeJournal
    const seen: Array<unknown> = []
    const look = Effect.provide(Effect.orDie(writtenTo(file)), NodeServices.layer)
    const publish = () => Effect.map(look, (records) => void seen.push(...records))
    yield* inSession(file, run({ ...counter().activity(input), emit: publish }))
    expect(seen).toEqual([{ type: "outcome", key: `plan/attempt-1#${"a".repeat(16)}`, value: "1" }])
  })

  nodeTest("gives back what was made, not what was saved of it", function* () {
    const file = yield* makeJournal
    const made = { list: [1, 2] }
    const success = Schema.Struct({ list: Schema.Array(Schema.Int) })
    const listed = { key: "plan/attempt-1", input, success, error: Schema.Never, execute: Effect.succeed(made) }
    const isLive = Effect.map(run(listed), (outcome) => outcome === made)
    expect([yield* inSession(file, isLive), yield* inSession(file, isLive)]).toEqual([true, false])
    const saved = Effect.map(run(listed), ({ list }) => [...list])
    expect(yield* inSession(file, saved)).toEqual([1, 2])
  })

  nodeTest("records a failure, publishes nothing of it, and executes again in the next session", function* () {
    const file = yield* makeJournal
    const { activity, told } = counter()
    const failing = { ...activity(input), error: Schema.String, execute: Effect.fail("gone") }
    expect(yield* Effect.flip(inSession(file, run(failing)))).toBe("gone")
    expect(told).toEqual([])
    expect(yield* inSession(file, run(activity(input)))).toBe(1)
    expect(yield* writtenTo(file)).toEqual([
      { type: "failure", key: `plan/attempt-1#${"a".repeat(16)}`, error: "gone" },
      { type: "outcome", key: `plan/attempt-1#${"a".repeat(16)}`, value: "1" }
    ])
  })

  nodeTest("records nothing of what dies or is interrupted", function* () {
    const file = yield* makeJournal
    const { activity } = counter()
    for (const execute of [Effect.die("broken"), Effect.interrupt]) {
      const exit = yield* Effect.exit(inSession(file, run({ ...activity(input), execute })))
      expect(Exit.isFailure(exit)).toBe(true)
    }
    expect(yield* writtenTo(file)).toEqual([])
  })

  nodeTest("does not run a stage again that has finished, and tells its result", function* () {
    const file = yield* makeJournal
    const { execute } = counter()
    const stage = Effect.gen(function* () {
      const activities = yield* Activities
      const before = yield* activities.stageResult(plan)
      return [Option.getOrNull(before), yield* activities.runStage(plan, execute)]
    })
    expect(yield* inSession(file, stage)).toEqual([null, 1])
    expect(yield* inSession(file, stage)).toEqual([1, 1])
    expect(yield* writtenTo(file)).toEqual([{ type: "settled", key: "plan", value: "1" }])
  })

  nodeTest("runs a stage again until its outcome is final", function* () {
    const file = yield* makeJournal
    const { execute } = counter()
    const stage = Effect.flatMap(Activities, (it) => it.runStage(plan, execute, (count) => count === 2))
    const outcomes = yield* Effect.forEach([1, 2, 3], () => inSession(file, stage))
    expect(outcomes).toEqual([1, 2, 2])
    expect(yield* writtenTo(file)).toEqual([{ type: "settled", key: "plan", value: "2" }])
  })

  nodeTest("reads current state in each session and records what it saw", function* () {
    const file = yield* makeJournal
    const { execute } = counter()
    const look = Effect.flatMap(Activities, (it) => it.record({ key: "reference/a.md", success: Count }, execute))
    expect([yield* inSession(file, look), yield* inSession(file, look)]).toEqual([1, 2])
    expect(yield* writtenTo(file)).toEqual([
      { type: "seen", key: "reference/a.md", value: "1" },
      { type: "seen", key: "reference/a.md", value: "2" }
    ])
  })

  nodeTest("writes what prompts begin with once in a session, and reads it with each of them", function* () {
    const file = yield* makeJournal
    const system = "You are one stage of a program. ".repeat(10)
    const prompts = ["a", "b"].map((name) => ({
      type: "prompt" as const,
      key: `round-1/execute/${name}`,
      system,
      user: name
    }))
    const session = Journal.use(({ append }) => Effect.forEach(prompts, append))
    yield* Effect.provide(session, Layer.fresh(layerJournal(file)))
    yield* Effect.provide(session, Layer.fresh(layerJournal(file)))
    const { lines } = yield* readJournal(file)
    expect(lines.slice(1).map(({ text }) => text.includes(system))).toEqual([true, false, true, false])
    expect(readRecords(lines.slice(1))).toMatchObject([...prompts, ...prompts])
  })
})
