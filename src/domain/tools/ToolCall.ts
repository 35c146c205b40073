/**
 * A call of a tool as a model requests it, the result that every call gets, and how a tool fails.
 */
import * as Schema from "effect/Schema"

export const Arguments = Schema.Record(Schema.String, Schema.Json)
export type Arguments = typeof Arguments.Type

/** `{ "uid": "...", "name": "...", "arguments": { ... } }`. Calls are identified by uid, never by name. */
export const ToolCall = Schema.Struct({ uid: Schema.String, name: Schema.String, arguments: Arguments })
export type ToolCall = typeof ToolCall.Type

export const ToolErrorType = Schema.Literals([
  "none",
  "not_found",
  "validation_failed",
  "permission_denied",
  "io_error",
  "parse_error",
  "internal_error",
  "timeout",
  "output_limit"
])
export type ToolErrorType = typeof ToolErrorType.Type

/**
 * A tool could not do its work; `type` becomes `error_type` and `message` becomes `error_message` of the result.
 *
 * ```ts
 * return yield* new ToolFailure({ type: "not_found", message: "There is no city of this name." })
 * ```
 */
export class ToolFailure extends Schema.TaggedError<ToolFailure>()("ToolFailure", {
  type: ToolErrorType,
  message: Schema.String
}) {}

/** The result envelope. `data` is null on failure; `error_message` is null on success. */
export const ToolResult = Schema.Struct({
  success: Schema.Boolean,
  data: Schema.NullOr(Schema.Json),
  error_message: Schema.NullOr(Schema.String),
  error_type: ToolErrorType,
  metadata: Schema.Struct({
    execution_time_ms: Schema.Finite,
    /** Bytes of the data as UTF-8 text (JSON unless it is a string). */
    data_size_bytes: Schema.Int,
    /** Milliseconds since 1970. */
    timestamp: Schema.Int
  })
})
export type ToolResult = typeof ToolResult.Type

export const CallOutcome = Schema.Struct({ call: ToolCall, result: ToolResult })
export type CallOutcome = typeof CallOutcome.Type

/** The data of an envelope as text: a string as it is, anything else as indented JSON. */
export const dataText = (data: Schema.Json): string => (typeof data === "string" ? data : JSON.stringify(data, null, 2))
