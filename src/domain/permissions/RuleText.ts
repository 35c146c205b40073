/**
 * Permission rules as a person writes them: `TOOL[:PATTERN]` for --allow and --deny. The same conditions hold for rules
 * in policies.json.
 */
import * as Result from "effect/Result"
import type { Rule, Verdict } from "./Permission.ts"

/** Lower-case ASCII words joined by underscores; two underscores separate the parts of a name such as `mcp__x__y`. */
const toolName = /^[a-z][a-z0-9]*(?:__?[a-z0-9]+)*$/

/** True for a name that a tool may have. */
export const isToolName = (name: string): boolean => toolName.test(name)

/** Says what is wrong with a rule, with what to do; nothing when it is fine. */
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

/** Reads `TOOL[:PATTERN]`, split at the first colon. Fails with one line that says what is wrong and what to do. */
export const parseRule = (verdict: Verdict, text: string): Result.Result<Rule, string> => {
  const colon = text.indexOf(":")
  const rule: Rule =
    colon === -1 ? { verdict, tool: text } : { verdict, tool: text.slice(0, colon), pattern: text.slice(colon + 1) }
  const problem = ruleProblem(rule)
  return problem === undefined ? Result.succeed(rule) : Result.fail(problem)
}
