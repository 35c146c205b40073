/** Defines the file of permanent permissions, and what an answer for the session covers. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type JsonProblem, readJson } from "../text/JsonText.ts"
import { schemaProblems } from "../text/SchemaText.ts"
import { scopedPattern } from "./TargetPattern.ts"
import { ruleProblem, Rule } from "./Permission.ts"
import {
  accessTarget,
  plainAccess,
  type CanonicalAccess,
  accessRisk,
  eachTimeReason,
  type Risk
} from "../tools/Access.ts"
import type { Arguments } from "../tools/ToolCall.ts"

/**
 * The tool of a plugin or server as it was when the user made the rule. If the tool has changed since, the rule does
 * not allow it.
 */
const ToolPin = Schema.Struct({
  origin: Schema.NonEmptyString,
  /** The SHA-256 of the definition that the model and the gate see, in hex. */
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
 * An entry of policies.json. `project` is the real path of the only project in which it applies. `rememberedAt` is
 * absent in handwritten entries.
 */
export const RememberedRule = Schema.Struct({
  ...Rule.fields,
  project: Schema.optionalKey(ProjectPath),
  /**
   * Identifies the folder at the path `project`. If another folder is at this path later, the entry gives no
   * permissions.
   */
  folder: Schema.optionalKey(Schema.NonEmptyString),
  pin: Schema.optionalKey(ToolPin),
  rememberedAt: Schema.optionalKey(Time)
})
export type RememberedRule = typeof RememberedRule.Type

/** True if the entries have the same rule and project. The file keeps only one of them. */
export const isSameRule = (a: RememberedRule, b: RememberedRule): boolean =>
  a.verdict === b.verdict && a.tool === b.tool && a.pattern === b.pattern && a.project === b.project

/**
 * True if the entry applies to a project. `root` is the real path of the project, and `rootFolder` identifies its
 * folder. A deny rule applies even if another folder is at this path now.
 */
export const concernsProject = (
  { folder, project, verdict }: RememberedRule,
  root: string,
  rootFolder: string | undefined
): boolean =>
  project === undefined || (project === root && (verdict === "deny" || folder === undefined || folder === rootFolder))

/** True if the entry applies to the tool as defined now. A built-in tool has no `pin`. A deny rule always applies. */
export const appliesTo = (rule: RememberedRule, pin: ToolPin | undefined): boolean =>
  rule.verdict !== "allow" || (rule.pin?.definition === pin?.definition && rule.pin?.origin === pin?.origin)

const policyVersion = 1

const PolicyDocument = Schema.Struct({
  version: Schema.Literal(policyVersion),
  rules: Schema.Array(RememberedRule)
})

/**
 * Tools that change files or run commands, and starts of plugins and servers. A permanent permission for one of these
 * must name a target.
 */
const changing = new Set([
  "write_file",
  "edit_file",
  "move_file",
  "remove_file",
  "run_command",
  "load_plugin",
  "start_server"
])

/** True for a pattern of wildcards only, which names no target. */
const isAllWildcards = (pattern: string): boolean => /^(?:[a-z]+:\/\/)?[*/. ]*$/.test(pattern)

const entryProblem = (rule: RememberedRule): string | undefined => {
  const problem = ruleProblem(rule)
  if (problem !== undefined || rule.verdict !== "allow" || !changing.has(rule.tool)) return problem
  return rule.pattern === undefined || isAllWildcards(scopedPattern(rule.pattern).rest)
    ? `A remembered permission for ${rule.tool} must name what it allows. Write a pattern with a name in it.`
    : undefined
}

/** Parses the file of permanent permissions. The first problem rejects the whole text. */
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

export const renderPolicies = (rules: ReadonlyArray<RememberedRule>): string =>
  `${JSON.stringify({ version: policyVersion, rules }, null, 2)}\n`

/** The parts of a question that decide what an answer may cover, for the session or permanently. */
export interface Asked {
  readonly tool: string
  readonly risk: Risk
  readonly arguments?: Arguments
  readonly accesses: ReadonlyArray<CanonicalAccess>
  /** The current definition of the tool; absent for a built-in tool. */
  readonly pin?: ToolPin
}

/** A permission for the session, identified by its key. `covers` describes it to the user. */
interface SessionScope {
  readonly key: Schema.Json
  readonly covers: string
}

const plain = (accesses: ReadonlyArray<CanonicalAccess>): Schema.Json =>
  accesses.map((access) => ({ ...plainAccess(access) }))

const accessScope = (tool: string, access: CanonicalAccess): SessionScope => {
  if (access._tag === "ReadFile" && accessRisk(access) === "safe") {
    return { key: [tool, "files"], covers: `${tool} for every file of the project that does not look like a secret` }
  }
  const url = access._tag === "FetchUrl" ? URL.parse(access.url) : null
  if (url?.protocol === "https:") return { key: [tool, "host", url.origin], covers: `${tool} for ${url.origin}` }
  const target = accessTarget(access)
  return { key: [tool, access._tag, target], covers: `${tool} for ${target}` }
}

/**
 * The permissions with which a call runs without further questions in this session. Undefined if the gate must ask each
 * time. For a high-risk call, they cover exactly this call. For a call without accesses, they cover every call of the
 * tool.
 */
export const sessionScopes = (question: Asked): ReadonlyArray<SessionScope> | undefined => {
  const { accesses, pin, risk, tool } = question
  const definition = pin === undefined ? [] : [pin.definition]
  if (accesses.some((access) => eachTimeReason(access) !== undefined)) return undefined
  const given = question.arguments ?? null
  if (risk === "high")
    return [{ key: [tool, "exact", given, plain(accesses), ...definition], covers: "exactly this call" }]
  if (accesses.length === 0) return [{ key: [tool, "calls", ...definition], covers: `${tool} with any arguments` }]
  const scopes = accesses.map((access) => accessScope(tool, access))
  return scopes.filter(({ covers }, index) => scopes.findIndex((one) => one.covers === covers) === index)
}

/** True if the answer may be remembered permanently. */
export const canRemember = ({ accesses, risk }: Asked): boolean =>
  risk !== "high" && accesses.every((access) => eachTimeReason(access) === undefined)
