/**
 * The shapes of permissions: rules and verdicts. What rules decide about a call is in domain/permissions/Decision.
 */
import * as Schema from "effect/Schema"

export const Verdict = Schema.Literals(["deny", "ask", "allow"])
export type Verdict = typeof Verdict.Type

/**
 * One rule for one tool. `pattern` is compared with the targets of a call, domain/permissions/TargetPattern says how; without one a
 * rule that restricts concerns every call of the tool, and a rule that allows covers what needs no naming. A call that
 * touches nothing is covered only by rules without a pattern.
 */
export const Rule = Schema.Struct({
  verdict: Verdict,
  tool: Schema.String,
  pattern: Schema.optionalKey(Schema.String)
})
export type Rule = typeof Rule.Type

/** `read_file:src/**`, as a person writes it. */
export const ruleText = (rule: Rule): string =>
  rule.pattern === undefined ? rule.tool : `${rule.tool}:${rule.pattern}`
