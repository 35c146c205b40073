/**
 * An activity over the journal of this process, without the engine between them: one whose outcome is in the journal is not
 * run again, and the outcome of one that succeeds is there before the workflow goes on. The outcome is live; only what is
 * saved is encoded. A failure is saved as evidence, since another try may succeed. Where several machines share a run, their
 * engine runs activities.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { activityName } from "../../domain/runs/ActivityKey.ts"
import type { Activity } from "./Activity.ts"
import type { Journal } from "./Journal.ts"

/** The journal of a workflow that the engine of this process executes; absent on other engines. */
export class OwnJournal extends Context.Service<OwnJournal, Journal["Service"]>()(
  "task-conductor/services/journal/OwnJournal"
) {}

const codecs = new WeakMap<object, Schema.Codec<unknown, Schema.Json>>()

/** The schema whose encoded values are JSON. */
export const jsonCodecOf = <A>(schema: Schema.Codec<A, unknown>): Schema.Codec<A, Schema.Json> => {
  const known = codecs.get(schema)
  const codec = known ?? (Schema.toCodecJson(schema) as Schema.Codec<unknown, Schema.Json>)
  if (known === undefined) codecs.set(schema, codec)
  return codec as Schema.Codec<A, Schema.Json>
}

/** A value as JSON. What does not fit its schema is a defect. */
export const encodedJson = <A>(schema: Schema.Codec<A, unknown>, value: A): Schema.Json =>
  Schema.encodeSync(jsonCodecOf(schema))(value)

/** The recorded outcome of the activity, or that of its execution, once it is on the disk. */
export const runRecorded = <A, E, R>(
  journal: Journal["Service"],
  { error, execute, input, key, success, tell }: Activity<A, E, R>
): Effect.Effect<A, E, R> => {
  const name = activityName({ input, key })
  const executed = execute.pipe(
    Effect.tapError((failure) => Effect.suspend(() => journal.saveFailure(name, encodedJson(error, failure)))),
    Effect.tap((outcome) => journal.saveOutcome(name, encodedJson(success, outcome))),
    (saved) => (tell === undefined ? saved : Effect.tap(saved, tell))
  )
  return Effect.flatMap(journal.outcome(name), (known) => {
    if (Option.isNone(known)) return executed
    const decoded = Schema.decodeUnknownOption(jsonCodecOf(success))(known.value)
    return Option.isSome(decoded) ? Effect.succeed(decoded.value) : journal.unreadable(name)
  })
}
