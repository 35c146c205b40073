/**
 * How dangerous a tool is, and what a repetition of its call would do.
 */
import * as Schema from "effect/Schema"

/** `safe` runs, `medium` asks, `high` asks with a warning. */
export const Risk = Schema.Literals(["safe", "medium", "high"])
export type Risk = typeof Risk.Type

/** What a repetition after a crash would do: nothing new, the same state again, or a second effect. */
export const EffectClass = Schema.Literals(["pure", "idempotent", "once"])
export type EffectClass = typeof EffectClass.Type

/** The higher of two risks. */
export const higherRisk = (a: Risk, b: Risk): Risk => {
  const order = Risk.literals
  return order.indexOf(a) >= order.indexOf(b) ? a : b
}
