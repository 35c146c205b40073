import * as Schema from "effect/Schema"

/** A rule that names no tool. `what` says what is wrong, with the nearest tools. */
export class RuleWithoutTool extends Schema.TaggedError<RuleWithoutTool>()("RuleWithoutTool", {
  verdict: Schema.Literals(["allow", "deny"]),
  rule: Schema.String,
  what: Schema.String,
  /** The file that holds it; absent for a flag or an option. */
  source: Schema.optionalKey(Schema.String),
  /** Further rules that name no tool. */
  others: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        verdict: Schema.Literals(["allow", "deny"]),
        rule: Schema.String,
        what: Schema.String,
        source: Schema.optionalKey(Schema.String)
      })
    )
  )
}) {
  override get message(): string {
    return `The rule "${this.rule}" does nothing: ${this.what}`
  }
}
