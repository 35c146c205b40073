/**
 * The text of policies.json: `{ "version": 1, "rules": [...] }`. Read strictly: a file that is not understood in full is
 * not used at all. Called by services/permissions/PolicyFile.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { type JsonProblem, readJson } from "../text/JsonText.ts"
import { RememberedRule } from "./RememberedRule.ts"
import { ruleProblem } from "./RuleText.ts"

const policyVersion = 1

/** The remembered answers of a person. */
const PolicyDocument = Schema.Struct({
  version: Schema.Literal(policyVersion),
  rules: Schema.Array(RememberedRule)
})

/** Tools that change something, and what the host starts: a standing permission must say for what. */
const changing = new Set(["write_file", "edit_file", "run_command", "load_plugin", "start_server"])

/** True for a pattern in which nothing is literal but what every path and address has. */
const isAllWildcards = (pattern: string): boolean => /^(?:[a-z]+:\/\/)?[*/. ]*$/.test(pattern)

const entryProblem = (rule: RememberedRule): string | undefined => {
  const problem = ruleProblem(rule)
  if (problem !== undefined || rule.verdict !== "allow" || !changing.has(rule.tool)) return problem
  return rule.pattern === undefined || isAllWildcards(rule.pattern)
    ? `A standing permission for ${rule.tool} must name what it allows. Write a pattern with a name in it.`
    : undefined
}

const pathText = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "")

/** Reads the rules; the first problem rejects the whole text. */
export const readPolicies = (text: string): Result.Result<ReadonlyArray<RememberedRule>, JsonProblem> => {
  const json = readJson(text)
  if (Result.isFailure(json)) return Result.fail(json.failure)
  const { placeOf, value } = json.success
  const decoded = Schema.decodeUnknownResult(PolicyDocument)(value, { onExcessProperty: "error" })
  if (Result.isFailure(decoded)) {
    const [first] = SchemaIssue.makeFormatterStandardSchemaV1()(decoded.failure.issue).issues
    const path = (first?.path ?? []).map((part) => (typeof part === "object" ? part.key : part))
    const what = first?.message ?? "the shape is wrong"
    return Result.fail({ ...placeOf(path), what: path.length === 0 ? what : `"${pathText(path)}": ${what}` })
  }
  for (const [index, rule] of decoded.success.rules.entries()) {
    const what = entryProblem(rule)
    if (what !== undefined) return Result.fail({ ...placeOf(["rules", index]), what })
  }
  return Result.succeed(decoded.success.rules)
}

/** The text for these rules; reading it gives them back. */
export const renderPolicies = (rules: ReadonlyArray<RememberedRule>): string =>
  `${JSON.stringify({ version: policyVersion, rules }, null, 2)}\n`
