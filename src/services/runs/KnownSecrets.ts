/**
 * The secrets that this process knows: those of its environment, and those that plugins were given. What is written, shown or sent to a
 * model is held against them at that time.
 */
import { makeRedaction, replaceSecrets, secretValues } from "../../domain/text/Redaction.ts"
import { withTexts } from "../../domain/text/Json.ts"

let environment: ReadonlyArray<string> | undefined
let declared: ReadonlyArray<string> = []
let all: ReadonlyArray<string> | undefined

/** All secrets by now; the longest first. */
export const knownSecrets = (): ReadonlyArray<string> => {
  environment ??= secretValues(process.env)
  all ??= [...new Set([...environment, ...declared])].toSorted((a, b) => b.length - a.length)
  return all
}

/** Remembers a secret that a plugin is given, for as long as the process lives. */
export const noteSecret = (value: string): void => {
  if (declared.includes(value)) return
  declared = [...declared, value].toSorted((a, b) => b.length - a.length)
  all = undefined
}

/** A text without the secrets that are known by now, and without what looks like one. */
export const redactSecrets = makeRedaction(knownSecrets)

/** A value without the secrets of plugins, which no model may see. */
export const withoutDeclaredSecrets = <Value>(value: Value): Value =>
  declared.length === 0 ? value : withTexts(value, replaceSecrets(declared))
