/**
 * Explains failures of an MCP connection, for tool calls and for the user.
 */
import type { McpClientError } from "effect/ai/McpClientError"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { schemeHint, secureFault } from "../../kit/files.ts"
import { pathText, schemaFaults } from "../../kit/text.ts"
import { ToolErrorType } from "../../plugin-kit.ts"
import type { McpAddress } from "./McpAddress.ts"

/** A server cannot be reached, or did not do its work. */
export class McpFailure extends Schema.TaggedError<McpFailure>()("McpFailure", {
  type: ToolErrorType,
  detail: Schema.String,
  /** True if the connection is lost. */
  isBroken: Schema.Boolean
}) {
  override get message(): string {
    return this.detail
  }
}

const invalidParams = -32_602
const methodNotFound = -32_601

/** The operating system's message, in the cause of the client's error. */
const causeOf = (cause: unknown): string =>
  cause instanceof Error && cause.message !== "" ? ` ${cause.message.split("\n", 1).join("")}` : ""

/** The malformed parts of a server message, as text. */
const malformedParts = (cause: unknown): string => {
  if (!Schema.isSchemaError(cause)) return causeOf(cause)
  const parts = schemaFaults(cause).map(({ path }) => pathText(path))
  const named = [...new Set(parts)].filter((part) => part !== "")
  return named.length === 0 ? "" : ` Look at ${named.join(", ")}.`
}

/** Makes the first letter lower case, for use within a sentence. */
const asClause = (sentence: string): string => `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`

const isNotFound = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "reason") && Predicate.isTagged(cause.reason, "NotFound")

/** The operating system's error codes for an unreachable server. */
const unreachable = new Set("ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ETIMEDOUT".split(" "))

/** Finds one of these error codes inside the error of an HTTP client. */
const codeBelow = (cause: unknown): string | undefined => {
  if (Predicate.hasProperty(cause, "code") && unreachable.has(String(cause.code))) return String(cause.code)
  if (Predicate.hasProperty(cause, "reason")) return codeBelow(cause.reason)
  return Predicate.hasProperty(cause, "cause") ? codeBelow(cause.cause) : undefined
}

/** Explains an HTTP status that means a refusal. */
const httpDetail = ({ message, status }: { readonly message: string; readonly status: number }): string => {
  if (status === 401 || status === 403) {
    return `it asks for authorization (status ${status}). Add the credentials to "headers".`
  }
  return status === 404 || status === 405
    ? `nothing speaks streamable HTTP at its address (status ${status}). Correct "url", which often ends in /mcp; the old transport "sse" is not supported.`
    : `${message}.`
}

/** Explains a failure of the client, and whether the connection is lost. */
export const explainFailure = ({ reason }: McpClientError, address: McpAddress): McpFailure => {
  const failure = (type: ToolErrorType, detail = `${reason.message}.`, isBroken = false) =>
    new McpFailure({ type, detail, isBroken })
  switch (reason._tag) {
    case "TransportError": {
      const code = codeBelow(reason.cause)
      if (address._tag === "Http" && code !== undefined) {
        const what = `it cannot be reached at ${new URL(address.url).host} (${code}). Start it, or correct "url".`
        return failure("io_error", what, true)
      }
      if (address._tag === "Http") {
        const fault = secureFault(reason.cause, address.url)
        if (fault !== undefined) return failure("io_error", `${asClause(fault.what)}. ${fault.remedy}`, true)
        const hint = schemeHint(reason.cause, address.url)
        if (hint !== undefined) return failure("io_error", `${reason.message}.${causeOf(reason.cause)} ${hint}`, true)
      }
      return address._tag === "Program" && isNotFound(reason.cause)
        ? failure(
            "io_error",
            `there is no program "${address.command}", or no folder ${address.cwd}. Install it, or correct the entry.`,
            true
          )
        : failure("io_error", `${reason.message}.${causeOf(reason.cause)}`, true)
    }
    case "ProtocolError": {
      const message = `${reason.message}.${causeOf(reason.cause)}`
      // After an error response to one request, the connection still works.
      if (reason.code === invalidParams) return failure("validation_failed", message)
      if (reason.code === methodNotFound) return failure("not_found", message)
      if (reason.code !== undefined) return failure("internal_error", message)
      const wrote = `it wrote something to its stdout that is not a message of the protocol:${causeOf(reason.cause)}. Its log belongs on stderr.`
      return failure("parse_error", address._tag === "Program" ? wrote : message, true)
    }
    case "LimitError": {
      const isList = reason.message.includes("discovery")
      const detail = isList ? "it lists more than 10,000 tools." : "it sent a message of more than 10 MiB."
      return failure("output_limit", detail, true)
    }
    case "TimeoutError":
      return failure(
        "timeout",
        'it was not ready in time. Fix the server, give it more seconds with "startTimeout", or leave it out with "disabled".'
      )
    case "UnsupportedError":
      return failure("io_error", "it supports none of the protocol revisions 2024-11-05 to 2025-11-25.")
    case "HttpError":
      return failure(
        reason.status === 401 || reason.status === 403 ? "permission_denied" : "io_error",
        httpDetail(reason)
      )
    case "ValidationError":
      return failure(
        "parse_error",
        `it answered with something that is not well formed.${malformedParts(reason.cause)}`
      )
    default:
      return failure("io_error", undefined, reason._tag === "ClosedError")
  }
}
