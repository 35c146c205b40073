/** Permission rules and how a person writes them. What rules decide about a call is in domain/permissions/Decision. */
import * as Schema from "effect/Schema"
import * as Result from "effect/Result"

export const Verdict = Schema.Literals(["deny", "ask", "allow"])
export type Verdict = typeof Verdict.Type

/**
 * One rule for one tool. `pattern` is compared with the targets of a call as TargetPattern says. Without a pattern a deny
 * or ask rule matches every call of the tool, and an allow rule matches all but secrets, files that programs run, and
 * files outside the project. A call without targets matches only rules without a pattern.
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

/** Lower-case ASCII words joined by underscores; two underscores separate the parts of a name such as `mcp__x__y`. */
const toolName = /^[a-z][a-z0-9]*(?:__?[a-z0-9]+)*$/

export const isToolName = (name: string): boolean => toolName.test(name)

/** What is wrong with a rule, and what to do; nothing when it is valid. */
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

/** Reads `TOOL[:PATTERN]` of --allow and --deny, split at the first colon. Fails with what is wrong and what to do. */
export const parseRule = (verdict: Verdict, text: string): Result.Result<Rule, string> => {
  const colon = text.indexOf(":")
  const rule: Rule =
    colon === -1 ? { verdict, tool: text } : { verdict, tool: text.slice(0, colon), pattern: text.slice(colon + 1) }
  const problem = ruleProblem(rule)
  return problem === undefined ? Result.succeed(rule) : Result.fail(problem)
}
