/**
 * The secrets that this process knows: those of its environment, and those that plugins received. They are removed from
 * everything that is written, shown or sent to a model.
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

/** Removes known secrets, and text that looks like a secret. */
export const redactSecrets = makeRedaction(knownSecrets)

/** The value without the secrets of plugins. Models must not see these. */
export const withoutDeclaredSecrets = <Value>(value: Value): Value =>
  declared.length === 0 ? value : withTexts(value, replaceSecrets(declared))
