/**
 * One connection to a server of tools: the tools it offers, and how to call them. Only this file and McpTransport use
 * the MCP client of effect/ai.
 */
import * as McpClient from "effect/ai/McpClient"
import type { McpClientError } from "effect/ai/McpClientError"
import type * as McpSchema from "effect/ai/McpSchema"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { pathText, schemaFaults } from "../../domain/text/SchemaText.ts"
import type { McpPart, McpResult } from "../../domain/plugins/McpResult.ts"
import { type Arguments, ToolErrorType } from "../../domain/tools/ToolCall.ts"
import { hashOf } from "../files/Hash.ts"
import { httpTransport, type McpProgram, stdioTransport, WireNotes } from "./McpTransport.ts"

export type McpAddress =
  | ({ readonly _tag: "Program" } & McpProgram)
  | { readonly _tag: "Http"; readonly url: string; readonly headers: Readonly<Record<string, string>> }

export interface McpToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: unknown
  /** The server says that the tool destroys something. */
  readonly isDestructive: boolean
  /** SHA-256 of everything that the server says about the tool. */
  readonly hash: string
}

/** A server could not be reached, or did not fulfil a request. */
export class McpFailure extends Schema.TaggedError<McpFailure>()("McpFailure", {
  type: ToolErrorType,
  detail: Schema.String,
  /** True when the connection cannot be used any more. */
  isBroken: Schema.Boolean
}) {
  override get message(): string {
    return this.detail
  }
}

/** Lives as long as the scope in which it was made. */
export interface McpConnection {
  readonly tools: ReadonlyArray<McpToolDefinition>
  /** Tools that the server describes in a way that is not well formed. */
  readonly malformed: WireNotes["malformed"]
  /** False when the program of the server has ended. */
  readonly isRunning: Effect.Effect<boolean>
  readonly call: (tool: string, args: Arguments) => Effect.Effect<McpResult, McpFailure>
}

const invalidParams = -32_602
const methodNotFound = -32_601

/** The message of the system, one level below the error of the client. */
const causeOf = (cause: unknown): string =>
  cause instanceof Error && cause.message !== "" ? ` ${cause.message.split("\n", 1).join("")}` : ""

/** The parts of a message of the server that are not well formed. */
const malformedParts = (cause: unknown): string => {
  if (!Schema.isSchemaError(cause)) return causeOf(cause)
  const parts = schemaFaults(cause).map(({ path }) => pathText(path))
  const named = [...new Set(parts)].filter((part) => part !== "")
  return named.length === 0 ? "" : ` Look at ${named.join(", ")}.`
}

const typeOf = ({ reason }: McpClientError): ToolErrorType => {
  switch (reason._tag) {
    case "TimeoutError":
      return "timeout"
    case "LimitError":
      return "output_limit"
    case "HttpError":
      return reason.status === 401 || reason.status === 403 ? "permission_denied" : "io_error"
    case "ProtocolError":
      if (reason.code === invalidParams) return "validation_failed"
      return reason.code === methodNotFound ? "not_found" : reason.code === undefined ? "parse_error" : "internal_error"
    case "ValidationError":
      return "parse_error"
    default:
      return "io_error"
  }
}

const isNotFound = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "reason") && Predicate.isTagged(cause.reason, "NotFound")

const textOf = ({ reason }: McpClientError, address: McpAddress, exitCode: number | undefined): string => {
  if (exitCode !== undefined) return `its program has ended with exit code ${exitCode}.`
  switch (reason._tag) {
    case "TransportError":
      if (address._tag === "Program" && isNotFound(reason.cause)) {
        return `there is no program "${address.command}", or no folder ${address.cwd}. Install it, or correct the entry.`
      }
      return `${reason.message}.${causeOf(reason.cause)}`
    case "ProtocolError":
      return reason.code === undefined && address._tag === "Program"
        ? `it wrote something to its stdout that is not a message of the protocol:${causeOf(reason.cause)}. Its log belongs on stderr.`
        : `${reason.message}.${causeOf(reason.cause)}`
    case "LimitError":
      return "it sent a message of more than 10 MiB."
    case "TimeoutError":
      return 'it was not ready in time. Fix the server, or give it more seconds with "startTimeout".'
    case "UnsupportedError":
      return "it supports none of the protocol revisions 2024-11-05 to 2025-11-25."
    case "HttpError":
      return reason.status === 401 || reason.status === 403
        ? `it asks for authorization (status ${reason.status}). Add the credentials to "headers".`
        : `${reason.message}.`
    case "ValidationError":
      return `it answered with something that is not well formed.${malformedParts(reason.cause)}`
    default:
      return `${reason.message}.`
  }
}

/** An error in answer to one request leaves the connection usable. */
const isBroken = ({ reason }: McpClientError): boolean => {
  if (reason._tag === "ProtocolError") return reason.code === undefined
  return reason._tag === "TransportError" || reason._tag === "ClosedError" || reason._tag === "LimitError"
}

/** The failure with a message for a person, and the end of stderr of a program that was lost. */
const failureOf = Effect.fnUntraced(function* (error: McpClientError, address: McpAddress, notes: WireNotes) {
  const exitCode = error.reason._tag === "TransportError" ? yield* notes.exitCode : undefined
  const stderr = notes.stderr.trim()
  const output = isBroken(error) && stderr !== "" ? ` It wrote to stderr: ${stderr}` : ""
  const detail = `${textOf(error, address, exitCode)}${output}`
  return yield* new McpFailure({ type: typeOf(error), detail, isBroken: isBroken(error) })
})

const definitionOf = (tool: McpSchema.Tool, wire: Schema.Json | undefined): McpToolDefinition => {
  const annotations = Predicate.hasProperty(wire, "annotations") ? wire.annotations : undefined
  const isDestructive = Predicate.hasProperty(annotations, "destructiveHint") && annotations.destructiveHint === true
  return {
    name: tool.name,
    description: tool.description ?? tool.title ?? tool.name,
    inputSchema: tool.inputSchema,
    isDestructive,
    hash: hashOf(wire ?? null)
  }
}

const partOf = (block: McpSchema.ContentBlock): McpPart => {
  switch (block.type) {
    case "text":
      return { _tag: "Text", text: block.text }
    case "resource_link":
      return { _tag: "Link", uri: block.uri, name: block.name }
    case "resource": {
      const { resource } = block
      if ("text" in resource) return { _tag: "Resource", uri: resource.uri, text: resource.text }
      const type = resource.mimeType ?? "of unknown type"
      return { _tag: "Blob", uri: resource.uri, type, size: resource.blob.length }
    }
    default:
      return { _tag: "Binary", kind: block.type, type: block.mimeType, size: block.data.length }
  }
}

export interface McpOptions {
  readonly timeout: Duration.Input
  /** The version of this program, sent to the server. */
  readonly version: string
}

/** Connects within the timeout and lists the tools. */
export const connect = Effect.fn("McpConnection.connect")(function* (
  address: McpAddress,
  { timeout, version }: McpOptions
) {
  const notes = new WireNotes()
  const asFailure = Effect.catch((error: McpClientError) => failureOf(error, address, notes))
  const transport =
    address._tag === "Program"
      ? yield* asFailure(stdioTransport(address, notes))
      : yield* asFailure(httpTransport(address, notes))
  const client = yield* McpClient.make({ name: "task-conductor", version, timeout }).pipe(
    Effect.provideService(McpClient.Transport, transport),
    asFailure
  )
  const found = new Map((yield* asFailure(client.listTools())).map((tool) => [tool.name, tool]))
  const connection: McpConnection = {
    tools: [...found.values()].map((tool) => definitionOf(tool, notes.tools.get(tool.name))),
    malformed: notes.malformed,
    isRunning: notes.isRunning,
    call: Effect.fn("McpConnection.call")(function* (name, args) {
      const tool = found.get(name)
      if (tool === undefined) {
        return yield* new McpFailure({ type: "not_found", detail: `it has no tool "${name}".`, isBroken: false })
      }
      const { content, isError, structuredContent } = yield* asFailure(client.callTool({ tool, arguments: args }))
      const parts = content.map(partOf)
      return { parts, isError: isError === true, structured: structuredContent as Schema.Json | undefined }
    })
  }
  return connection
})
