/**
 * Hashes of values. The hash of a call binds an answer to what was shown: it changes with the tool, the arguments, the
 * task, and with every canonical target, so that a link that leads elsewhere since the question asks again.
 */
import { createHash } from "node:crypto"
import type * as Schema from "effect/Schema"
import { canonicalJson } from "../../domain/text/CanonicalJson.ts"

/** SHA-256 over the canonical JSON, in hex. */
export const hashOf = (value: Schema.Json): string => createHash("sha256").update(canonicalJson(value)).digest("hex")

/** SHA-256 of a text in hex. */
export const textHash = (text: string): string => createHash("sha256").update(text).digest("hex")
