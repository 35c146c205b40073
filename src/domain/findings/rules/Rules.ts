/**
 * All rules there are, by family. The codes that checks can use are typed by this list, so a rule that is not in it
 * does not exist.
 */
import { fieldsRules, namesRules, structureRules, surroundingsRules } from "./DocumentRules.ts"
import { evidenceRules, referencesRules } from "./ReferenceRules.ts"
import { approvalsRules, inputsRules, refinementsRules, skillsRules } from "./TaskRules.ts"
import { answersRules, toolCallsRules } from "./CallRules.ts"
import { changesRules } from "./ChangeRules.ts"
import { skillFilesRules, skillFormatRules, templatesRules } from "./FileRules.ts"
import type { Rule, RuleFamily, Severity } from "./Rule.ts"

const families = [
  surroundingsRules,
  structureRules,
  fieldsRules,
  namesRules,
  referencesRules,
  refinementsRules,
  inputsRules,
  toolCallsRules,
  changesRules,
  skillsRules,
  approvalsRules,
  answersRules,
  evidenceRules,
  skillFilesRules,
  skillFormatRules,
  templatesRules
] as const

type CodeIn<Family, Wanted extends Severity> =
  Family extends RuleFamily<infer S>
    ? { readonly [Code in keyof S]: S[Code] extends Wanted ? Code : never }[keyof S]
    : never

/** The codes of the rules of these severities. */
export type CodeOf<Wanted extends Severity> = CodeIn<(typeof families)[number], Wanted>

/** The families in the order of the index. */
export const ruleFamilies: ReadonlyArray<RuleFamily> = families

/** All rules, in the order of their pages. */
export const rules: ReadonlyArray<Rule> = ruleFamilies.flatMap(({ family, rules: listed }) =>
  Object.entries(listed).map(([code, facts]): Rule =>
    Object.assign({ code, family, severity: "error" as const }, facts)
  )
)

const byCode = new Map(rules.map((rule) => [rule.code, rule]))

/** The rule of a code; nothing for the code of a later version. */
export function ruleOf(code: CodeOf<Severity>): Rule
export function ruleOf(code: string): Rule | undefined
export function ruleOf(code: string): Rule | undefined {
  return byCode.get(code)
}

/** Where the rule is described, relative to the root of the package; the anchor is the code. */
export const rulePage = ({ code, family }: Rule): string => `docs/reference/rules/${family}.md#${code}`
