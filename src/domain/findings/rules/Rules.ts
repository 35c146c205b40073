/** The list of all rules, by family. The compiler rejects any other code in a check. */
import { callRules } from "./CallRules.ts"
import { documentRules } from "./DocumentRules.ts"
import { fieldRules } from "./FieldRules.ts"
import { fileRules } from "./FileRules.ts"
import type { FindingRule, RuleFamily, Severity } from "./Rule.ts"
import { taskRules } from "./TaskRules.ts"

const families = [...documentRules, ...fieldRules, ...taskRules, ...callRules, ...fileRules] as const

type CodeIn<R, Wanted extends Severity> = R extends unknown
  ? { readonly [Code in keyof R]: R[Code] extends { readonly severity: Wanted } ? Code : never }[keyof R]
  : never

/** The codes of the rules of these severities. */
export type CodeOf<Wanted extends Severity> = CodeIn<(typeof families)[number]["rules"], Wanted>

/** The families in the order of the index. */
export const ruleFamilies: ReadonlyArray<RuleFamily> = families

/** All rules in the order of their pages. */
export const rules: ReadonlyArray<FindingRule> = ruleFamilies.flatMap(({ family, rules: listed }) =>
  Object.entries(listed).map(([code, facts]): FindingRule => Object.assign({ code, family }, facts))
)

const byCode = new Map(rules.map((rule) => [rule.code, rule]))

/** The rule of a code; undefined for a code of a later version. */
export function ruleOf(code: CodeOf<Severity>): FindingRule
export function ruleOf(code: string): FindingRule | undefined
export function ruleOf(code: string): FindingRule | undefined {
  return byCode.get(code)
}
