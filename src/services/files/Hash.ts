/**
 * Hashes of values. The hash of a call binds an answer to what was shown: it changes with the tool, the arguments, the
 * task, and with every canonical target, so that a link that leads elsewhere since the question asks again.
 */
import { createHash } from "node:crypto"
import type * as Schema from "effect/Schema"
import type { CanonicalAccess } from "../../domain/tools/Access.ts"
import { canonicalJson } from "../../domain/text/CanonicalJson.ts"
import type { Arguments } from "../../domain/tools/ToolCall.ts"

/** SHA-256 over the canonical JSON, in hex. */
export const hashOf = (value: Schema.Json): string => createHash("sha256").update(canonicalJson(value)).digest("hex")

/** The hash of one call or access of a task; the uid is left out, since a new one asks for nothing new. */
export const callHash = (asked: {
  readonly task: string
  readonly tool: string
  readonly arguments?: Arguments
  readonly accesses: ReadonlyArray<CanonicalAccess>
}): string => hashOf([asked.task, asked.tool, asked.arguments ?? null, asked.accesses.map((access) => ({ ...access }))])
