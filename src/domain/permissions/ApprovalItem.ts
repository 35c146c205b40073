/**
 * One thing that a person is asked to approve, as questions show it and events carry it.
 */
import * as Schema from "effect/Schema"
import { Risk } from "../tools/Risk.ts"
import { ToolCall } from "../tools/ToolCall.ts"

/** One thing a person is asked about. */
export const ApprovalItem = Schema.Struct({
  task: Schema.String,
  call: Schema.optionalKey(ToolCall),
  tool: Schema.String,
  /** The plugin the tool comes from; absent for what is built in. */
  origin: Schema.optionalKey(Schema.String),
  risk: Risk,
  targets: Schema.Array(Schema.String),
  /** What else is known of the targets, one line each. */
  details: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What would change, as a unified diff of bounded length. */
  preview: Schema.optionalKey(Schema.String),
  /** What somebody who answers should know: whole sentences. */
  warnings: Schema.optionalKey(Schema.Array(Schema.String)),
  /** For a single call: what the answers `session` and `remember` would cover; one that is absent is not offered. */
  offers: Schema.optionalKey(
    Schema.Struct({ session: Schema.optionalKey(Schema.String), remember: Schema.optionalKey(Schema.String) })
  )
})
export type ApprovalItem = typeof ApprovalItem.Type
