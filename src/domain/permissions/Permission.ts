/** Permission rules as users write them. domain/permissions/Decision decides with them. */
import * as Schema from "effect/Schema"
import * as Result from "effect/Result"

export const Verdict = Schema.Literals(["deny", "ask", "allow"])
export type Verdict = typeof Verdict.Type

/**
 * A rule for one tool. TargetPattern compares `pattern` with the targets of a call.
 * - A deny or ask rule without a pattern matches every call of the tool.
 * - An allow rule without a pattern matches everything except secrets, files that programs run, and files outside the
 *   project.
 * - A rule with a pattern never matches a call without targets.
 */
export const Rule = Schema.Struct({
  verdict: Verdict,
  tool: Schema.String,
  pattern: Schema.optionalKey(Schema.String)
})
export type Rule = typeof Rule.Type

export const ruleText = (rule: Rule): string =>
  rule.pattern === undefined ? rule.tool : `${rule.tool}:${rule.pattern}`

/** Matches lower-case ASCII words joined by one or two underscores, such as `mcp__x__y`. */
const toolName = /^[a-z][a-z0-9]*(?:__?[a-z0-9]+)*$/

export const isToolName = (name: string): boolean => toolName.test(name)

/** The problem of a rule, with its fix. Undefined for a valid rule. */
export const ruleProblem = ({ tool, pattern }: Pick<Rule, "tool" | "pattern">): string | undefined => {
  if (!isToolName(tool)) return `"${tool}" is not a tool name. Name one tool, as "task-conductor tools list" shows it.`
  if (pattern === undefined) return undefined
  if (pattern === "") return `The pattern after "${tool}:" is empty. Write a path, a URL, or leave the colon out.`
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(pattern)) return `The pattern for ${tool} holds a control character. Remove it.`
  if (pattern.split("/").includes("..")) {
    return `The pattern "${pattern}" holds "..". Write an absolute path for what lies outside the project.`
  }
  return undefined
}

/** Parses `TOOL[:PATTERN]`, the value of --allow and --deny. Fails with the problem and its fix. */
export const parseRule = (verdict: Verdict, text: string): Result.Result<Rule, string> => {
  const colon = text.indexOf(":")
  const rule: Rule =
    colon === -1 ? { verdict, tool: text } : { verdict, tool: text.slice(0, colon), pattern: text.slice(colon + 1) }
  const problem = ruleProblem(rule)
  return problem === undefined ? Result.succeed(rule) : Result.fail(problem)
}
