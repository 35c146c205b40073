/**
 * How a tool says that it could not do its work. Tools fail with it, the tool runner turns it into the result envelope.
 */
import * as Schema from "effect/Schema"
import { ToolErrorType } from "./ToolCall.ts"

/** A tool could not do its work; `type` becomes `error_type`, `message` becomes `error_message`. */
export class ToolFailure extends Schema.TaggedError<ToolFailure>()("ToolFailure", {
  type: ToolErrorType,
  message: Schema.String
}) {}
