/**
 * The rules that a person had remembered, and the text of policies.json that holds them: `{ "version": 1, "rules": [...] }`.
 * It is read strictly: a file with any problem is not used at all.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type JsonProblem, readJson } from "../text/JsonText.ts"
import { schemaProblems } from "../text/SchemaText.ts"
import { scopedPattern } from "./CommandScope.ts"
import { ruleProblem, Rule } from "./Permission.ts"

/** The tool of a plugin or server as it was when the rule was made; a rule does not allow a tool that has changed. */
const ToolPin = Schema.Struct({
  origin: Schema.NonEmptyString,
  /** SHA-256 of what the model and the gate see of the tool, in hex. */
  definition: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "a SHA-256 in hex" }))
})
export type ToolPin = typeof ToolPin.Type

const Time = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/, {
    expected: 'a time in UTC such as "2026-11-21T10:00:00Z"'
  })
)

const ProjectPath = Schema.String.check(
  Schema.isPattern(/^(?:\/|[A-Za-z]:\\)/, { expected: "the absolute path of a project" })
)

/**
 * An entry of policies.json. `project` is the real path of the only project for which it holds. `rememberedAt` is absent in
 * entries that a person wrote by hand.
 */
export const RememberedRule = Schema.Struct({
  ...Rule.fields,
  project: Schema.optionalKey(ProjectPath),
  pin: Schema.optionalKey(ToolPin),
  rememberedAt: Schema.optionalKey(Time)
})
export type RememberedRule = typeof RememberedRule.Type

/** True when one entry replaces the other. */
export const isSameRule = (a: RememberedRule, b: RememberedRule): boolean =>
  a.verdict === b.verdict && a.tool === b.tool && a.pattern === b.pattern && a.project === b.project

/** True when the entry is about this project, given by its real path. */
export const concernsProject = ({ project }: RememberedRule, root: string): boolean =>
  project === undefined || project === root

/** True when the entry applies to the tool as it is now; `pin` is absent for a built-in tool. A deny rule always applies. */
export const appliesTo = (rule: RememberedRule, pin: ToolPin | undefined): boolean =>
  rule.verdict !== "allow" || (rule.pin?.definition === pin?.definition && rule.pin?.origin === pin?.origin)

const policyVersion = 1

const PolicyDocument = Schema.Struct({
  version: Schema.Literal(policyVersion),
  rules: Schema.Array(RememberedRule)
})

/** Tools that change something, and what the host starts: a remembered permission must name what it allows. */
const changing = new Set(["write_file", "edit_file", "run_command", "load_plugin", "start_server"])

/** True for a pattern without any literal name. */
const isAllWildcards = (pattern: string): boolean => /^(?:[a-z]+:\/\/)?[*/. ]*$/.test(pattern)

const entryProblem = (rule: RememberedRule): string | undefined => {
  const problem = ruleProblem(rule)
  if (problem !== undefined || rule.verdict !== "allow" || !changing.has(rule.tool)) return problem
  return rule.pattern === undefined || isAllWildcards(scopedPattern(rule.pattern).rest)
    ? `A remembered permission for ${rule.tool} must name what it allows. Write a pattern with a name in it.`
    : undefined
}

/** Reads the rules; the first problem rejects the whole text. */
export const readPolicies = (text: string): Result.Result<ReadonlyArray<RememberedRule>, JsonProblem> => {
  const json = readJson(text)
  if (Result.isFailure(json)) return Result.fail(json.failure)
  const { placeOf, value } = json.success
  const decoded = Schema.decodeUnknownResult(PolicyDocument)(value, { onExcessProperty: "error" })
  if (Result.isFailure(decoded)) {
    const [first = { ...placeOf([]), what: "the file has another shape." }] = schemaProblems(
      decoded.failure,
      json.success
    )
    return Result.fail(first)
  }
  for (const [index, rule] of decoded.success.rules.entries()) {
    const what = entryProblem(rule)
    if (what !== undefined) return Result.fail({ ...placeOf(["rules", index]), what })
  }
  return Result.succeed(decoded.success.rules)
}

/** The text for these rules, which `readPolicies` reads back. */
export const renderPolicies = (rules: ReadonlyArray<RememberedRule>): string =>
  `${JSON.stringify({ version: policyVersion, rules }, null, 2)}\n`
