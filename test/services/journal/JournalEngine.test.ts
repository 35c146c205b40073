/**
 * The journal engine: what it records of the activities and deferreds of a workflow, and what it returns of that in a
 * later session.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as DurableClock from "effect/workflow/DurableClock"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import { readRecords } from "../../../src/services/journal/JournalLine.ts"
import { readJournal } from "../../../src/services/journal/JournalReader.ts"
import {
  inSession,
  layerJournal,
  layerSession,
  makeJournal,
  TestWorkflow,
  writtenTo
} from "../../support/JournalSession.ts"

const input = "0123456789abcdef"

const activity = (key: string, execute: Effect.Effect<number, string>) =>
  Activities.use(({ run }) => run({ key, input, success: Schema.NumberFromString, error: Schema.String, execute }))

/** What an effect dies of. */
const defectOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(Effect.sandbox(effect)), (cause) => (Cause.hasDies(cause) ? Cause.squash(cause) : undefined))

const approval = DurableDeferred.make("question/step-1", { success: Schema.NumberFromString })

layer(NodeServices.layer)("layerJournalEngine", (it) => {
  it.effect("has the outcome of an activity on the disk before the workflow continues", () =>
    Effect.gen(function* () {
      const file = yield* makeJournal
      const written = Effect.provide(Effect.orDie(writtenTo(file)), NodeServices.layer)
      const records: Array<unknown> = []
      const work = Effect.gen(function* () {
        const outcome = yield* activity("a", Effect.succeed(1))
        records.push(...(yield* written))
        return outcome
      })
      expect(yield* inSession(file, work)).toBe(1)
      expect(records).toEqual([{ type: "outcome", key: "a#0123456789abcdef", value: "1" }])
    })
  )

  it.effect("writes what prompts begin with once in a session, and reads it with each of them", () =>
    Effect.gen(function* () {
      const file = yield* makeJournal
      const system = "You are one stage of a program. ".repeat(10)
      const prompts = ["a", "b"].map((name) => ({ key: `round-1/execute/${name}`, system, user: name }))
      const session = Journal.use(({ flush, sent }) => Effect.andThen(Effect.forEach(prompts, sent), flush))
      yield* Effect.provide(session, layerJournal(file))
      yield* Effect.provide(session, layerJournal(file))
      const { lines } = yield* readJournal(file)
      expect(lines.slice(1).map(({ json }) => json.includes(system))).toEqual([true, false, true, false])
      expect(readRecords(lines.slice(1))).toMatchObject([...prompts, ...prompts])
    })
  )

  it.effect("executes only activities whose outcome is not in the journal", () =>
    Effect.gen(function* () {
      const file = yield* makeJournal
      const executed: Array<string> = []
      const counted = (name: string) =>
        activity(
          name,
          Effect.sync(() => executed.push(name))
        )
      expect(yield* inSession(file, counted("a"))).toBe(1)
      expect(yield* inSession(file, Effect.all([counted("a"), counted("b")]))).toEqual([1, 2])
      expect(executed).toEqual(["a", "b"])
    })
  )

  it.effect("records a failure as evidence and executes the activity again in the next session", () =>
    Effect.gen(function* () {
      const file = yield* makeJournal
      const failing = inSession(file, activity("a", Effect.fail("gone")))
      expect(yield* Effect.flip(failing)).toBe("gone")
      expect(yield* inSession(file, activity("a", Effect.succeed(2)))).toBe(2)
      expect(yield* writtenTo(file)).toEqual([
        { type: "failure", key: "a#0123456789abcdef", error: "gone" },
        { type: "outcome", key: "a#0123456789abcdef", value: "2" }
      ])
    })
  )

  it.effect("dies of what an activity dies of and records nothing of it", () =>
    Effect.gen(function* () {
      const file = yield* makeJournal
      expect(yield* defectOf(inSession(file, activity("a", Effect.die("broken"))))).toBe("broken")
      expect(yield* writtenTo(file)).toEqual([])
    })
  )

  it.effect("returns the answer to a deferred in a later session", () =>
    Effect.gen(function* () {
      const file = yield* makeJournal
      const answer = Effect.gen(function* () {
        const token = yield* DurableDeferred.token(approval)
        yield* DurableDeferred.succeed(approval, { token, value: 7 })
        return "answered"
      })
      expect(yield* inSession(file, answer)).toBe("answered")
      expect(yield* writtenTo(file)).toEqual([{ type: "answer", key: "question/step-1", value: "7" }])
      expect(yield* inSession(file, DurableDeferred.await(approval))).toBe(7)
    })
  )

  it.effect("dies of an unknown workflow and of a durable clock", () =>
    Effect.gen(function* () {
      const file = yield* makeJournal
      const unknown = TestWorkflow.execute({ runId: "r" }).pipe(Effect.provide(layerSession(file)))
      expect(yield* defectOf(unknown)).toBe("The journal engine has no workflow test/Run.")
      const sleep = DurableClock.sleep({ name: "nap", duration: "1 hour", inMemoryThreshold: "1 second" })
      expect(yield* defectOf(inSession(file, Effect.as(sleep, "awake")))).toBe(
        "The journal engine has no durable clock."
      )
    })
  )
})
