/** Generates run ids that are readable, sortable by time, and unlikely to collide. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** Makes an id such as `20261120-183000-k3x9`: UTC date and time, then four random characters. */
export const makeRunId: Effect.Effect<string> = Effect.gen(function* () {
  const now = DateTime.formatIso(yield* DateTime.now)
  const suffix = yield* Random.nextIntBetween(0, 36 ** 4 - 1)
  return `${now.slice(0, 10).replaceAll("-", "")}-${now.slice(11, 19).replaceAll(":", "")}-${suffix.toString(36).padStart(4, "0")}`
})

/**
 * The time at which a run had certainly begun, in milliseconds since 1970: the end of the second in its id. Undefined
 * for an id of another form.
 */
export const startOfRun = (runId: string): number | undefined => {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/.exec(runId) ?? []
  const [year, month, day, hour, minute, second] = parts
  if (second === undefined) return undefined
  const start = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(start) ? undefined : start + 1000
}
