/**
 * Which runs a worker keeps in the database of a cluster.
 */
import * as Schema from "effect/Schema"

const count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))

export const RunsKept = Schema.Struct({
  days: Schema.optionalKey(count.annotate({ description: "Runs that began in the last days." })),
  newest: Schema.optionalKey(count.annotate({ description: "This many runs, the newest ones." }))
})
export type RunsKept = typeof RunsKept.Type
