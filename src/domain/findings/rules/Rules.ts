/**
 * All rules there are, by family. The codes that checks can use are typed by this list, so a rule that is not in it
 * does not exist. It is loaded only where records are shown: pages, tests, and reports that link to them.
 */
import { surroundingsRules } from "./SurroundingsRules.ts"
import { structureRules } from "./StructureRules.ts"
import { fieldsRules } from "./FieldsRules.ts"
import { namesRules } from "./NamesRules.ts"
import { referencesRules } from "./ReferencesRules.ts"
import { refinementsRules } from "./RefinementsRules.ts"
import { inputsRules } from "./InputsRules.ts"
import { toolCallsRules } from "./ToolCallsRules.ts"
import { skillsRules } from "./SkillsRules.ts"
import { approvalsRules } from "./ApprovalsRules.ts"
import { answersRules } from "./AnswersRules.ts"
import { skillFilesRules } from "./SkillFilesRules.ts"
import { skillFormatRules } from "./SkillFormatRules.ts"
import { templatesRules } from "./TemplatesRules.ts"
import type { Rule } from "./Rule.ts"

/** The families in the order of the index. */
export const ruleFamilies = [
  surroundingsRules,
  structureRules,
  fieldsRules,
  namesRules,
  referencesRules,
  refinementsRules,
  inputsRules,
  toolCallsRules,
  skillsRules,
  approvalsRules,
  answersRules,
  skillFilesRules,
  skillFormatRules,
  templatesRules
] as const

/** One of the records, with its code and tier in its type. */
export type KnownRule = (typeof ruleFamilies)[number]["rules"][number]

/** All records. */
export const rules: ReadonlyArray<Rule> = ruleFamilies.flatMap((family): ReadonlyArray<Rule> => family.rules)

const byCode = new Map(rules.map((rule) => [rule.code, rule]))

/** The record of a code; nothing for the code of a later version. */
export const ruleOf = (code: string): Rule | undefined => byCode.get(code)

/** Where the rule is described, relative to the root of the package; the anchor is the code. */
export const rulePage = (rule: Rule): string => `docs/reference/rules/${rule.family}.md#${rule.code}`
