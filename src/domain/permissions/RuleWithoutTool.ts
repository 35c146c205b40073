import * as Schema from "effect/Schema"

const idleRule = {
  verdict: Schema.Literals(["allow", "deny"]),
  rule: Schema.String,
  what: Schema.String,
  /** The file with the rule; absent for a flag or an option. */
  source: Schema.optionalKey(Schema.String)
}

/**
 * A rule for a tool that does not exist. `others` are further rules of this kind. `what` states the problem, with the
 * nearest tool names.
 */
export class RuleWithoutTool extends Schema.TaggedError<RuleWithoutTool>()("RuleWithoutTool", {
  ...idleRule,
  others: Schema.optionalKey(Schema.Array(Schema.Struct(idleRule)))
}) {
  override get message(): string {
    return `The rule "${this.rule}" does nothing: ${this.what}`
  }
}
