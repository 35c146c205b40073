/**
 * The secrets that this process knows: secrets of its environment, and secrets that plugins received. They are removed
 * from everything that is written or shown. Secrets that plugins received are also hidden from models.
 */
import { makeRedaction, replaceSecrets, secretValues } from "../../domain/text/Redaction.ts"
import { withTexts } from "../../domain/text/Json.ts"

let environment: ReadonlyArray<string> | undefined
let declared: ReadonlyArray<string> = []
let all: ReadonlyArray<string> | undefined

/** All secrets that are known so far, longest first. */
export const knownSecrets = (): ReadonlyArray<string> => {
  environment ??= secretValues(process.env)
  all ??= [...new Set([...environment, ...declared])].toSorted((a, b) => b.length - a.length)
  return all
}

/** Remembers a secret that a plugin receives, for the lifetime of the process. */
export const noteSecret = (value: string): void => {
  if (declared.includes(value)) return
  declared = [...declared, value].toSorted((a, b) => b.length - a.length)
  all = undefined
}

/** Removes from a text all known secrets, and all parts that look like a secret. */
export const redactSecrets = makeRedaction(knownSecrets)

/** Removes from a value the secrets that plugins received, because models must not see these secrets. */
export const withoutDeclaredSecrets = <Value>(value: Value): Value =>
  declared.length === 0 ? value : withTexts(value, replaceSecrets(declared))
