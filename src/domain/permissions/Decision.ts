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

/** True when a deny or ask rule matches; one target is enough. */
const restricts = ({ pattern }: Rule, targets: ReadonlyArray<Target>): boolean =>
  pattern === undefined || targets.some((target) => matchesDeny(pattern, target))

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
export const decide = <R extends Rule>(rules: ReadonlyArray<R>, { tool, risk, targets }: Request): Decision<R> => {
  const ofTool = rules.filter((rule) => rule.tool === tool)
  for (const verdict of ["deny", "ask"] as const) {
    const restricting = ofTool.filter((rule) => rule.verdict === verdict && restricts(rule, targets))
    if (restricting.length > 0) return { verdict, rules: restricting.toSorted(byText) }
  }
  const allowed = allowing(
    ofTool.filter((rule) => rule.verdict === "allow"),
    targets
  )
  if (allowed.length > 0) return { verdict: "allow", rules: allowed.toSorted(byText) }
  return { verdict: risk === "safe" ? "allow" : "ask", rules: [] }
}
