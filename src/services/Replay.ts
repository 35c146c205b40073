/**
 * Plays a run that is kept once more, from its journal alone: no model is asked, no tool runs, nobody is asked. What was
 * answered then is answered now, and every prompt is compared with the one that was sent.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { JournalRecord } from "../domain/JournalRecord.ts"
import type { RunDifference } from "../domain/RunDifference.ts"
import { eventsOf } from "../domain/RunEvidence.ts"
import { Activities, type Activity, activityName, type Stage } from "./Activities.ts"
import { type Answered, Approver, type CallAnswer, type StepAnswer } from "./Approver.ts"

/** The journal as what stands in for model, tools and person. */
export interface Replay {
  readonly activities: Layer.Layer<Activities>
  readonly approver: Layer.Layer<Approver>
  /** Prompts and arguments that were not the same, in order. */
  readonly changed: () => ReadonlyArray<RunDifference>
  /** Comes to its end when the run asks for something that is not in the journal: it cannot go on. */
  readonly missing: Effect.Effect<RunDifference>
}

type Outcome = { readonly value: Schema.Json } | { readonly error: Schema.Json }

const keyOf = (name: string): string => name.split("#")[0] ?? ""

/** What came of each call, by its name and by its key alone. */
const outcomesOf = (records: ReadonlyArray<JournalRecord>) => {
  const exact = new Map<string, Outcome>()
  const byKey = new Map<string, Outcome>()
  for (const record of records) {
    if (record.type !== "outcome" && record.type !== "failure") continue
    const outcome = record.type === "outcome" ? { value: record.value } : { error: record.error }
    exact.set(record.key, outcome)
    byKey.set(keyOf(record.key), outcome)
  }
  return { exact, byKey }
}

const isCallAnswer = Schema.is(Schema.Literals(["once", "session", "remember", "deny"]))
const isStepAnswer = Schema.is(Schema.Literals(["step", "remaining", "decline"]))

/** The answers of then, found by what was asked: title of the step, or task and targets of the call. */
const approverOf = (records: ReadonlyArray<JournalRecord>): Layer.Layer<Approver> => {
  const answers = new Map(eventsOf(records, "approval.answered").map((event) => [event.hash, event]))
  const asked = eventsOf(records, "approval.requested")
  const found = (scope: "step" | "call", isIt: (event: (typeof asked)[number]) => boolean) => {
    const question = asked.findLast((event) => event.scope === scope && isIt(event))
    return question === undefined ? undefined : answers.get(question.hash)
  }
  return Layer.succeed(Approver)(
    Approver.of({
      step: (title) =>
        Effect.sync((): Answered<StepAnswer> => {
          const event = found("step", (one) => one.title === title)
          if (event?.chosen !== undefined) return { answer: { chosen: event.chosen }, by: event.by }
          return isStepAnswer(event?.answer) && event !== undefined
            ? { answer: event.answer as StepAnswer, by: event.by }
            : { answer: "decline", by: "nobody" }
        }),
      call: (item) =>
        Effect.sync((): Answered<CallAnswer> => {
          const targets = item.targets.join("\n")
          const event = found("call", ({ items }) =>
            items.some((one) => one.task === item.task && one.tool === item.tool && one.targets.join("\n") === targets)
          )
          return isCallAnswer(event?.answer) && event !== undefined
            ? { answer: event.answer as CallAnswer, by: event.by }
            : { answer: "deny", by: "nobody" }
        })
    })
  )
}

/** Stages are gone through again, but for the briefing: it holds what was known then. */
const isKept = ({ key }: { readonly key: string }): boolean => key === "briefing"

/** Makes the stand-ins for a journal. */
export const makeReplay = Effect.fn("makeReplay")(function* (records: ReadonlyArray<JournalRecord>) {
  const { byKey, exact } = outcomesOf(records)
  const kept = new Map(
    records.flatMap((record) =>
      record.type === "settled" && isKept(record) ? [[record.key, record.value] as const] : []
    )
  )
  const missing = yield* Deferred.make<RunDifference>()
  const changed: Array<RunDifference> = []

  const settled = <A>({ key, success }: Stage<A>): Effect.Effect<Option.Option<A>> =>
    kept.has(key)
      ? Effect.asSome(Effect.orDie(Schema.decodeUnknownEffect(Schema.toCodecJson(success))(kept.get(key))))
      : Effect.succeedNone

  const perform = Effect.fnUntraced(function* <A, E, R>(activity: Activity<A, E, R>): Effect.fn.Return<A, E, R> {
    const name = activityName(activity)
    const known = exact.get(name) ?? byKey.get(activity.key)
    if (known === undefined) {
      yield* Deferred.succeed(missing, { about: `${activity.key} is not in the journal` })
      return yield* Effect.never
    }
    if (!exact.has(name)) changed.push({ about: `${activity.key} was asked with other words or arguments` })
    if ("value" in known) {
      return yield* Effect.orDie(Schema.decodeUnknownEffect(Schema.toCodecJson(activity.success))(known.value))
    }
    const error = yield* Effect.orDie(Schema.decodeUnknownEffect(Schema.toCodecJson(activity.error))(known.error))
    return yield* Effect.fail(error)
  })

  const replay: Replay = {
    activities: Layer.succeed(Activities)(
      Activities.of({
        perform,
        settled,
        settle: (stage, execute) =>
          Effect.flatMap(
            settled(stage),
            Option.match({ onNone: () => execute, onSome: (value) => Effect.succeed(value) })
          )
      })
    ),
    approver: approverOf(records),
    changed: () => changed,
    missing: Deferred.await(missing)
  }
  return replay
})
