/**
 * What the tables of the engine get: values without secrets. A value that is needed whole again, such as the calls of a task,
 * stays in the memory of the worker that made it; a worker that does not have it makes it again.
 */
import { isDeepStrictEqual } from "node:util"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Takes secrets out of a value before it is saved. */
export type Redact = (value: Schema.Json) => Schema.Json

export const asJson = <A>(schema: Schema.Codec<A, unknown>, value: A): Effect.Effect<Schema.Json> =>
  Effect.orDie(Schema.encodeEffect(Schema.toCodecJson(schema))(value))

export const fromJson = <A>(schema: Schema.Codec<A, unknown>, value: Schema.Json): Effect.Effect<A> =>
  Effect.orDie(Schema.decodeUnknownEffect(Schema.toCodecJson(schema))(value))

/** The value without secrets; itself when it has none. */
export const withoutSecrets = <A>(schema: Schema.Codec<A, unknown>, value: A, redact: Redact): Effect.Effect<A> =>
  Effect.flatMap(asJson(schema, value), (json) => {
    const safe = redact(json)
    return isDeepStrictEqual(safe, json) ? Effect.succeed(value) : fromJson(schema, safe)
  })

/** How many values a worker keeps whole at most; those of earlier work go first. */
const mostValues = 1000

/** Whole values of one worker, by the run and a key within it. */
export interface WholeValues {
  /** Keeps a value that is not saved whole. */
  readonly keep: (runId: string, key: string, value: Schema.Json) => void
  /** The whole value of what is saved under this key. */
  readonly find: (runId: string, key: string, saved: Schema.Json) => Schema.Json | undefined
}

export interface Secrets {
  readonly redact: Redact
  readonly whole: WholeValues
}

/** The secrets of this worker; it keeps none at first. */
export const makeSecrets = (redact: Redact): Secrets => {
  const values = new Map<string, Schema.Json>()
  const nameOf = (runId: string, key: string) => JSON.stringify([runId, key])
  return {
    redact,
    whole: {
      keep: (runId, key, value) => {
        const name = nameOf(runId, key)
        values.delete(name)
        if (isDeepStrictEqual(redact(value), value)) return
        values.set(name, value)
        const [oldest] = values.keys()
        if (values.size > mostValues && oldest !== undefined) values.delete(oldest)
      },
      find: (runId, key, saved) => {
        const value = values.get(nameOf(runId, key))
        return value !== undefined && isDeepStrictEqual(redact(value), saved) ? value : undefined
      }
    }
  }
}
