/**
 * Decides about an access by the permission rules. Also finds the rules for this access that the program can offer to
 * the user.
 */
import { type Rule, ruleText, type Verdict } from "./Permission.ts"
import { type Risk, type CanonicalAccess, eachTimeReason } from "../tools/Access.ts"
import { matchesAllow, type Target, matchesDeny, exactPattern, targetPattern } from "./TargetPattern.ts"
import { isSecretLike } from "../files/SensitivePath.ts"
import type { Asked } from "./PolicyFormat.ts"

interface Request {
  readonly tool: string
  readonly risk: Risk
  readonly targets: ReadonlyArray<Target>
}

/** The verdict, and the rules that led to it. Without rules, the risk alone decided. */
export interface Decision<R extends Rule = Rule> {
  readonly verdict: Verdict
  readonly rules: ReadonlyArray<R>
}

const byText = (a: Rule, b: Rule): number => (ruleText(a) < ruleText(b) ? -1 : ruleText(a) > ruleText(b) ? 1 : 0)

/**
 * True if a deny or ask rule matches at least one target. The rule also covers other tools with the same effect:
 * denying `write_file` also denies changes by `edit_file`.
 */
const restricts = (rule: Rule, { targets, tool }: Request): boolean => {
  const { pattern } = rule
  if (rule.tool === tool && pattern === undefined) return true
  return targets.some(
    (target) =>
      (rule.tool === tool || target.effects?.includes(rule.tool) === true) &&
      (pattern === undefined || matchesDeny(pattern, target))
  )
}

/** The allow rules that match. Each target needs a rule that covers it. If one target has none, the list is empty. */
const allowing = <R extends Rule>(rules: ReadonlyArray<R>, { targets, tool }: Request): ReadonlyArray<R> => {
  if (targets.length === 0) return rules.filter((rule) => rule.tool === tool && rule.pattern === undefined)
  const covering = targets.map((target) =>
    rules.filter((rule) => (rule.tool === tool || rule.tool === target.part) && matchesAllow(rule.pattern, target))
  )
  return covering.every((some) => some.length > 0) ? [...new Set(covering.flat())] : []
}

/**
 * Decides by rules. Without a matching rule, safe calls are allowed, and all other calls need a question. A deny or ask
 * rule applies if it matches one target. Allow rules apply only if they match every target.
 */
export const decide = <R extends Rule>(rules: ReadonlyArray<R>, request: Request): Decision<R> => {
  const { risk } = request
  for (const verdict of ["deny", "ask"] as const) {
    const restricting = rules.filter((rule) => rule.verdict === verdict && restricts(rule, request))
    if (restricting.length > 0) return { verdict, rules: restricting.toSorted(byText) }
  }
  const allowed = allowing(
    rules.filter((rule) => rule.verdict === "allow"),
    request
  )
  if (allowed.length > 0) return { verdict: "allow", rules: allowed.toSorted(byText) }
  return { verdict: risk === "safe" ? "allow" : "ask", rules: [] }
}

/** The pattern for the folder of a project file; empty in the root. */
const folderPattern = (relative: string): ReadonlyArray<string> => {
  const folder = relative.split("/").slice(0, -1).join("/")
  return folder === "" ? [] : [`${exactPattern(folder)}/**`]
}

const filePatterns = (path: string, { relative }: Target): ReadonlyArray<string> => {
  if (relative === undefined) return [exactPattern(path)]
  return [exactPattern(relative), ...(isSecretLike(path) ? [] : folderPattern(relative))]
}

/**
 * The patterns of the rules that the question offers for an access. The shortcut key chooses the first. `undefined`
 * means a rule without a pattern.
 */
const patternsOf = (access: CanonicalAccess, target: Target): ReadonlyArray<string | undefined> => {
  switch (access._tag) {
    case "ReadFile":
      return access.inside && !isSecretLike(access.path)
        ? [undefined, ...filePatterns(access.path, target)]
        : filePatterns(access.path, target)
    case "WriteFile":
      return filePatterns(access.path, target)
    case "FetchUrl": {
      const url = URL.parse(access.url)
      const host = url?.protocol === "https:" ? [`${exactPattern(url.origin)}/**`] : []
      return [...host, exactPattern(access.url)]
    }
    case "RunCommand":
      return access.sandboxed ? [targetPattern(target)] : []
    default:
      return [targetPattern(target)]
  }
}

/**
 * The rules to offer for a call with at most one access. Empty for a command outside the sandbox, and for an access
 * that always needs a question.
 */
export const ruleOffers = (asked: Asked, targets: ReadonlyArray<Target>): ReadonlyArray<Rule> => {
  const { accesses, risk, tool } = asked
  const [access] = accesses
  const [target] = targets
  if (access === undefined || target === undefined) return risk === "high" ? [] : [{ verdict: "allow", tool }]
  if (accesses.length > 1 || eachTimeReason(access) !== undefined) return []
  return patternsOf(access, target)
    .map((pattern): Rule => (pattern === undefined ? { verdict: "allow", tool } : { verdict: "allow", tool, pattern }))
    .filter((rule) => {
      const decision = decide([rule], { tool, risk, targets })
      return decision.verdict === "allow" && decision.rules.length > 0
    })
}
