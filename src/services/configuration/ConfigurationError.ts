/** The error of unusable settings. */
import * as Schema from "effect/Schema"

/**
 * Says that a configuration cannot be used. `source` is a file or an environment variable. Each problem is one line.
 */
export class ConfigurationError extends Schema.TaggedError<ConfigurationError>()("ConfigurationError", {
  source: Schema.String,
  problems: Schema.Array(
    Schema.Struct({
      line: Schema.optionalKey(Schema.Int),
      column: Schema.optionalKey(Schema.Int),
      what: Schema.String
    })
  )
}) {
  override get message(): string {
    return this.problems
      .map(({ column, line, what }) => `${this.source}${line === undefined ? "" : `:${line}:${column}`}: ${what}`)
      .join("\n")
  }
}
