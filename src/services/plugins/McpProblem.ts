/**
 * Why a server of tools, or one of its tools, is not used. A run goes on without it; the person is told.
 */
import * as Schema from "effect/Schema"

/** A server is left out, or a single tool of it, or an entry of a file. */
export class McpProblem extends Schema.TaggedError<McpProblem>()("McpProblem", {
  /** Absent when the problem is one of a whole file. */
  server: Schema.optionalKey(Schema.String),
  /** Present when the other tools of the server stay. */
  tool: Schema.optionalKey(Schema.String),
  /** What is wrong and what to do, as sentences. */
  detail: Schema.String
}) {
  override get message(): string {
    if (this.server === undefined) return this.detail
    return this.tool === undefined
      ? `The server "${this.server}" is not used: ${this.detail}`
      : `The tool "${this.tool}" of the server "${this.server}" is left out: ${this.detail}`
  }
}
