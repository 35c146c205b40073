/**
 * Checks a SKILL.md as strictly as the rules of agentskills.io and ours are: what a run mends in silence is named here.
 * Called by services/skills/SkillLinter and by the door for other programs.
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { ruleOf } from "../findings/rules/Rules.ts"
import type { Issue, Repair } from "../findings/Issue.ts"
import { addIssue, addRepair, type Findings, inDocumentOrder, type RepairCode } from "../findings/IssueCode.ts"
import { nearest } from "../text/Nearest.ts"
import type { Skill } from "./Skill.ts"
import { checkBody } from "./SkillBodyLint.ts"
import { readSkill } from "./SkillFormat.ts"
import { type FrontMatter, readFrontMatter } from "./SkillFrontMatter.ts"
import { checkSettings } from "./SkillSettings.ts"
import { type SkillTokens, skillTokens } from "./SkillTokens.ts"
import { decodeText } from "../text/TextEncoding.ts"
import { estimateTokens } from "../models/PromptSize.ts"

/** What the skill is held against. */
export interface LintWorld {
  /** The tools that a run would have; tools are not checked without it. */
  readonly tools?: ReadonlyArray<string>
  /** Which of the `links` of the skill lead to a file. */
  readonly files: ReadonlySet<string>
}

export interface SkillLint {
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
  /** Absent when the file cannot be read as a skill. */
  readonly tokens?: SkillTokens
}

const allowedKeys = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"]
const maxCompatibility = 500
const maxPartTokens = 1000
const maxTokens = 5000

/** What a run fixes although the format forbids it; other programs do not read such a file. */
const forbidden: ReadonlyArray<RepairCode> = [
  "front-matter-unquoted",
  "skill-name-form",
  "skill-description-long",
  "skill-tools-form",
  "skill-metadata-form",
  "skill-approval-value",
  "skill-model-name"
]

const checkKeys = (matter: FrontMatter, findings: Findings): void => {
  for (const key of Object.keys(matter.fields).filter((one) => !allowedKeys.includes(one))) {
    addIssue(
      findings,
      "skill-key-unknown",
      { field: key, line: matter.lineOf(key) },
      {
        what: `The format has no key "${key}".`,
        how: key.startsWith("task-conductor")
          ? "Put it under metadata."
          : `Use only ${allowedKeys.join(", ")}; values of your own belong under metadata.`
      }
    )
  }
  const compatibility = matter.fields["compatibility"]
  if (typeof compatibility === "string" && compatibility.length > maxCompatibility) {
    const where = { field: "compatibility", line: matter.lineOf("compatibility") }
    addIssue(findings, "skill-compatibility-long", where, {
      what: `The compatibility note has ${compatibility.length} characters; at most ${maxCompatibility} are allowed.`
    })
  }
}

const saysWhen = /\b(?:when(?:ever)?|use (?:it|this|them|for|to|only|before|after|if))\b/i

const checkDescription = ({ description }: Skill, matter: FrontMatter, findings: Findings): void => {
  if (saysWhen.test(description)) return
  const where = { field: "description", line: matter.lineOf("description") }
  addRepair(
    findings,
    "skill-description-when",
    where,
    'The description does not say when to use the skill: add "Use it when ...".'
  )
}

const checkTools = (
  { allowedTools = [] }: Skill,
  matter: FrontMatter,
  tools: ReadonlyArray<string>,
  found: Findings
) => {
  for (const tool of allowedTools.filter((one) => !tools.includes(one))) {
    const where = { field: "allowed-tools", line: matter.lineOf("allowed-tools") }
    const close = nearest(tool, tools)
    const hint = close.length === 0 ? "" : ` Nearest: ${close.join(", ")}.`
    addRepair(found, "skill-tool-unknown", where, `There is no tool "${tool}".${hint}`)
  }
}

const checkExecution = ({ execution }: Skill, { bodyLine }: FrontMatter, findings: Findings): void => {
  if (execution.trim() !== "") return
  const what = 'The skill has no text under "## Execution": say there what the result must hold.'
  addRepair(findings, "skill-execution-missing", { section: "Execution", line: bodyLine }, what)
}

const checkSize = ({ body, bodyLine }: FrontMatter, tokens: SkillTokens, findings: Findings): void => {
  for (const part of ["refinement", "execution"] as const) {
    if (tokens[part] <= maxPartTokens) continue
    const message = `The ${part} part takes about ${tokens[part]} tokens of every prompt; keep it below ${maxPartTokens}.`
    addRepair(findings, "skill-part-large", { line: bodyLine }, message)
  }
  const all = estimateTokens(body)
  if (all <= maxTokens) return
  addIssue(
    findings,
    "skill-too-large",
    { line: bodyLine },
    {
      what: `The skill has about ${all} tokens; the format asks for at most ${maxTokens}.`
    }
  )
}

const strictly = (repairs: ReadonlyArray<Repair>, findings: Findings): void => {
  for (const { code, message, where } of repairs) {
    const rejected = forbidden.find((one) => one === code)
    if (rejected === undefined) findings.repairs.push({ code, where, message })
    else findings.issues.push({ code, where, what: message, how: ruleOf(rejected).fix })
  }
}

/** Reads the bytes of `<folder>/SKILL.md` and finds everything that a careful author would mend. */
export const lintSkill = (bytes: Uint8Array, folder: string, { files, tools }: LintWorld): SkillLint => {
  const reading = readSkill(bytes, folder)
  const findings: Findings = { issues: [...reading.issues], repairs: [] }
  strictly(reading.repairs, findings)
  const matter = Result.flatMap(decodeText(bytes), readFrontMatter)
  if (Result.isFailure(matter)) return inDocumentOrder(findings)
  checkKeys(matter.success, findings)
  checkSettings(matter.success, findings)
  checkBody(matter.success, files, findings)
  if (Option.isNone(reading.value)) return inDocumentOrder(findings)
  const skill = reading.value.value
  const tokens = skillTokens(skill)
  checkDescription(skill, matter.success, findings)
  if (tools !== undefined) checkTools(skill, matter.success, tools, findings)
  checkExecution(skill, matter.success, findings)
  checkSize(matter.success, tokens, findings)
  return { ...inDocumentOrder(findings), tokens }
}
