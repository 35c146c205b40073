/**
 * The settings of ours under `metadata` of a skill: which there are, and what looks like one and is none. Called by
 * domain/skills/SkillLint.
 */
import { distance } from "fastest-levenshtein"
import { ruleOf } from "../findings/rules/Rules.ts"
import { addIssue, type Findings } from "../findings/IssueCode.ts"
import { nearest } from "../text/Nearest.ts"
import type { FrontMatter } from "./SkillFrontMatter.ts"

const settings = ["task-conductor.requires-approval", "task-conductor.model"]
const bareSettings = new Set(settings.map((key) => key.slice("task-conductor.".length)))

/** Keys of other programs and of the author are theirs. */
const looksLikeOurs = (key: string): boolean =>
  /conductor/i.test(key) ||
  bareSettings.has(key.replaceAll("_", "-")) ||
  settings.some((setting) => distance(setting, key) <= 3)

/** Records metadata that is no list of texts, and settings that are spelled wrong. */
export const checkSettings = (matter: FrontMatter, findings: Findings): void => {
  const metadata = matter.fields["metadata"]
  if (metadata === undefined || metadata === null) return
  const where = { field: "metadata", line: matter.lineOf("metadata") }
  if (typeof metadata !== "object" || Array.isArray(metadata)) {
    const how = 'Write lines such as `author: "somebody"`, indented, under metadata.'
    findings.issues.push({ code: "skill-metadata-form", where, what: "The metadata are not keys with values.", how })
    return
  }
  for (const [key, value] of Object.entries(metadata)) {
    if (!settings.includes(key) && looksLikeOurs(key)) {
      addIssue(findings, "skill-setting-unknown", where, {
        what: `There is no setting "${key}".`,
        how: `Use ${nearest(key, settings)[0] ?? settings.join(" or ")}.`,
        quote: key
      })
    } else if (!settings.includes(key) && typeof value !== "string") {
      const what = `The value of ${key} should be a string in quotes.`
      findings.issues.push({ code: "skill-metadata-form", where, what, how: ruleOf("skill-metadata-form").fix })
    }
  }
}
