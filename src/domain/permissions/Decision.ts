/**
 * The pure decision about a call by rules and risk. Deny beats ask beats allow, whatever the order of the rules; what is
 * unknown asks.
 */
import { type Rule, ruleText, type Verdict } from "./Permission.ts"
import type { Risk } from "../tools/Risk.ts"
import { matchesAllow, type Target, matchesDeny } from "./TargetPattern.ts"

/** What rules decide about: a tool, its risk, and all its targets. */
export interface Request {
  readonly tool: string
  readonly risk: Risk
  readonly targets: ReadonlyArray<Target>
}

/** The verdict, with the rules that gave it; none when the risk alone decided. */
export interface Decision<R extends Rule = Rule> {
  readonly verdict: Verdict
  readonly rules: ReadonlyArray<R>
}

const byText = (a: Rule, b: Rule): number => (ruleText(a) < ruleText(b) ? -1 : ruleText(a) > ruleText(b) ? 1 : 0)

/**
 * True when a deny or ask rule matches; one target is enough. A rule for a tool holds for every other way to the same
 * effect: who denies `write_file` also denies that `edit_file` changes the file.
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

/** The allow rules that match, when together they match every target. */
const allowing = <R extends Rule>(rules: ReadonlyArray<R>, targets: ReadonlyArray<Target>): ReadonlyArray<R> => {
  if (targets.length === 0) return rules.filter(({ pattern }) => pattern === undefined)
  const covering = targets.map((target) => rules.filter(({ pattern }) => matchesAllow(pattern, target)))
  return covering.every((some) => some.length > 0) ? [...new Set(covering.flat())] : []
}

/**
 * Decides by rules, then by risk: what is safe is allowed, everything else asks. One target that a rule denies or asks
 * about is enough; to be allowed, every target must match an allow rule.
 */
export const decide = <R extends Rule>(rules: ReadonlyArray<R>, request: Request): Decision<R> => {
  const { risk, targets, tool } = request
  for (const verdict of ["deny", "ask"] as const) {
    const restricting = rules.filter((rule) => rule.verdict === verdict && restricts(rule, request))
    if (restricting.length > 0) return { verdict, rules: restricting.toSorted(byText) }
  }
  const allowed = allowing(
    rules.filter((rule) => rule.verdict === "allow" && rule.tool === tool),
    targets
  )
  if (allowed.length > 0) return { verdict: "allow", rules: allowed.toSorted(byText) }
  return { verdict: risk === "safe" ? "allow" : "ask", rules: [] }
}
