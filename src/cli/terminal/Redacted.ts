/**
 * Takes secrets out of what is printed for programs and of errors, as out of journals: both end up in logs.
 */
import { makeRedaction, makeValueRedaction, secretValues } from "../../domain/text/Redaction.ts"

const values = secretValues(process.env)

/** A text without the secrets that are known here. */
export const redactText = makeRedaction(values)

/** A value without them, before it becomes JSON. */
export const redactValue = makeValueRedaction(values)

/** An event without them, for a line of text; values with methods of their own stay as they are. */
export const redactEvent = <A>(value: A): A => {
  if (typeof value === "string") return redactText(value) as A
  if (Array.isArray(value)) return value.map(redactEvent) as A
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, redactEvent(one)])) as A
}
