/**
 * Takes secrets out of what is printed for programs and of errors, as out of journals: both end up in logs.
 */
import { makeRedaction, makeValueRedaction, secretValues } from "../../domain/text/Redaction.ts"

const values = secretValues(process.env)

/** A text without the secrets that are known here. */
export const redactText = makeRedaction(values)

/** A value without them, before it becomes JSON. */
export const redactValue = makeValueRedaction(values)
