/**
 * Hashes of values and texts.
 */
import { hash } from "node:crypto"
import type * as Schema from "effect/Schema"
import { canonicalJson } from "../../domain/text/Json.ts"

/** SHA-256 of the canonical JSON of a value, in hex. */
export const hashOf = (value: Schema.Json): string => hash("sha256", canonicalJson(value))

/** The hash of `[system, user]`. */
export const promptHash = (system: string, user: string): string => hash("sha256", JSON.stringify([system, user]))

/** SHA-256 of a text, in hex. */
export const textHash = (text: string): string => hash("sha256", text)
