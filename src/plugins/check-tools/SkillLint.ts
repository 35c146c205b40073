/**
 * Checks a SKILL.md strictly, by the rules of agentskills.io and of this program. Reports also what a run would repair
 * silently.
 */
import { distance } from "fastest-levenshtein"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import {
  addIssue,
  addRepair,
  type Findings,
  inDocumentOrder,
  isPlainBody,
  type Issue,
  placeOfKey,
  readSkill,
  readSkillFile,
  readSkillInputs,
  type Repair,
  type RepairCode,
  ruleOf,
  type Skill,
  type SkillFile,
  skillPart,
  type SkillTokens,
  skillTokens
} from "../../kit/documents.ts"
import { estimateTokens } from "../../kit/models.ts"
import { bodyOf, linksOf, nearest, outline, parseMarkdown, proseLines } from "../../kit/text.ts"
import { scriptsNamed, whyNoScript } from "./SkillScripts.ts"

interface LintContext {
  /** The tools of a run. Without them, tool names are not checked. */
  readonly tools?: ReadonlyArray<string>
  /** Existing files to which the skill links. */
  readonly files: ReadonlySet<string>
}

/** What the strict check of a skill found. */
export interface SkillLint {
  /** What the rules forbid, in the order of the document. */
  readonly issues: ReadonlyArray<Issue>
  /** The repairs that a run makes when it reads the skill. */
  readonly repairs: ReadonlyArray<Repair>
  /** The size in tokens. Absent for an unreadable skill. */
  readonly tokens?: SkillTokens
}

const allowedKeys = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"]
const maxCompatibility = 500
const maxPartTokens = 1000
const maxTokens = 5000

/** The codes of repairs that this check reports as issues, because other programs cannot read the unrepaired syntax. */
const forbidden: ReadonlyArray<RepairCode> = [
  "front-matter-unquoted",
  "skill-name-form",
  "skill-description-long",
  "skill-tools-form",
  "skill-metadata-form",
  "skill-approval-value",
  "skill-model-name",
  "skill-turns-value"
]

const checkKeys = (file: SkillFile, findings: Findings): void => {
  for (const key of Object.keys(file.fields).filter((one) => !allowedKeys.includes(one))) {
    addIssue(findings, "skill-key-unknown", placeOfKey(file, key), {
      what: `The format has no key "${key}".`,
      how: key.startsWith("task-conductor")
        ? "Put it under metadata."
        : `Use only ${allowedKeys.join(", ")}; values of your own belong under metadata.`
    })
  }
  const compatibility = file.fields["compatibility"]
  if (typeof compatibility !== "string" || compatibility.length <= maxCompatibility) return
  addIssue(findings, "skill-compatibility-long", placeOfKey(file, "compatibility"), {
    what: `The compatibility note has ${compatibility.length} characters; at most ${maxCompatibility} are allowed.`
  })
}

const settings = ["task-conductor.requires-approval", "task-conductor.model", "task-conductor.turns"]
const bareSettings = new Set(settings.map((key) => key.slice("task-conductor.".length)))

/** True for a key that looks like a setting of this program. Other keys are ignored. */
const looksLikeOurs = (key: string): boolean =>
  /conductor/i.test(key) ||
  bareSettings.has(key.replaceAll("_", "-")) ||
  settings.some((setting) => distance(setting, key) <= 3)

/** Checks the metadata, and the spelling of settings. */
const checkSettings = (file: SkillFile, findings: Findings): void => {
  const metadata = file.fields["metadata"]
  if (metadata === undefined || metadata === null) return
  const where = placeOfKey(file, "metadata")
  const addForm = (what: string, how = ruleOf("skill-metadata-form").fix) =>
    findings.issues.push({ code: "skill-metadata-form", where, what, how })
  if (typeof metadata !== "object" || Array.isArray(metadata)) {
    addForm(
      "The metadata must be keys with values.",
      'Write lines such as `author: "somebody"`, indented, under metadata.'
    )
    return
  }
  for (const [key, value] of Object.entries(metadata).filter(([one]) => !settings.includes(one))) {
    if (looksLikeOurs(key)) {
      const how = `Use ${nearest(key, settings)[0] ?? settings.join(" or ")}.`
      addIssue(findings, "skill-setting-unknown", where, { what: `There is no setting "${key}".`, how, quote: key })
    } else if (typeof value !== "string") {
      addForm(`The value of ${key} should be a string in quotes.`)
    }
  }
}

const saysWhen = /\b(?:when(?:ever)?|use (?:it|this|them|for|to|only|before|after|if))\b/i

const checkSkill = (skill: Skill, file: SkillFile, tools: ReadonlyArray<string> | undefined, findings: Findings) => {
  if (!saysWhen.test(skill.description)) {
    const message = 'The description does not say when to use the skill: add "Use it when ...".'
    addRepair(findings, "skill-description-when", placeOfKey(file, "description"), message)
  }
  for (const tool of skill.allowedTools ?? []) {
    if (tools?.includes(tool) !== false) continue
    const close = nearest(tool, tools)
    const hint = close.length === 0 ? "" : ` Nearest: ${close.join(", ")}.`
    const where = placeOfKey(file, "allowed-tools")
    addRepair(findings, "skill-tool-unknown", where, `There is no tool "${tool}".${hint}`)
  }
  for (const { line, path } of scriptsNamed(file.body)) {
    const reason = whyNoScript(skill, path)
    if (reason === undefined) continue
    const message = `No task can run ${path}: ${reason}. Add \`run_command(${path}:*)\`.`
    addRepair(findings, "skill-script-forbidden", { line: file.bodyLine - 1 + line }, message)
  }
  const isWhole = isPlainBody(outline(file.body)) && skill.refinement !== ""
  if (skill.execution.trim() === "" && !isWhole) {
    const message = 'The skill has no text under "## How to report": say there what the result must contain.'
    addRepair(findings, "skill-execution-missing", { section: "How to report", line: file.bodyLine }, message)
  }
}

const checkSize = ({ body, bodyLine: line }: SkillFile, tokens: SkillTokens, findings: Findings): void => {
  for (const part of ["refinement", "execution"] as const) {
    if (tokens[part] <= maxPartTokens) continue
    const message = `The ${part} part takes about ${tokens[part]} tokens of every prompt; keep it below ${maxPartTokens}.`
    addRepair(findings, "skill-part-large", { line }, message)
  }
  const all = estimateTokens(body)
  if (all <= maxTokens) return
  const what = `The skill has about ${all} tokens; the format asks for at most ${maxTokens}.`
  addIssue(findings, "skill-too-large", { line }, { what })
}

/** Matches placeholders of templates. */
const placeholder =
  /\b(?:TODO|FIXME|TBD)\b|\blorem ipsum\b|<(?:your|insert|describe|add|replace)\b[^<>]*>|\[(?:your|insert|describe|add|replace)\b[^\][]*\](?!\()|^\s*(?:[-*+]\s*)?(?:\.{3}|…)\s*$/i

const isLocal = (href: string): boolean => href !== "" && !/^(?:[a-z][a-z0-9+.-]*:|#|\/\/)/i.test(href)

/** The links to files in a skill's text. `path` has no fragment. */
const linksIn = ({ body, bodyLine }: SkillFile) =>
  Option.match(parseMarkdown(body, bodyLine), { onNone: () => [], onSome: linksOf })
    .filter(({ href }) => isLocal(href))
    .map(({ href, line }) => ({ href, line, path: href.replace(/#.*$/, "") }))

/** The files to which a skill links, without fragments. */
export const skillLinks = (bytes: Uint8Array): ReadonlyArray<string> =>
  Result.match(readSkillFile(bytes), {
    onFailure: () => [],
    onSuccess: (file) => linksIn(file).map(({ path }) => path)
  })

const checkPlaceholders = ({ body, bodyLine }: SkillFile, findings: Findings): void => {
  for (const { line, text } of proseLines(body)) {
    const quote = placeholder.exec(text.replace(/`[^`]*`/g, ""))?.[0].trim()
    if (quote === undefined) continue
    const what = `"${quote}" is text for the author.`
    addIssue(findings, "skill-placeholder", { line: bodyLine - 1 + line }, { what, quote })
  }
}

const checkHeadings = ({ body, bodyLine }: SkillFile, findings: Findings): void => {
  const written = outline(body)
  if (isPlainBody(written)) return
  for (const section of written.sections) {
    const { depth, heading, line } = section
    if (depth > 2 || skillPart(section) !== undefined) continue
    const where = { section: heading, line: bodyLine + line - 1 }
    const message = `No model sees the text under "${heading}": put it under one of the headings of the format.`
    addRepair(findings, "skill-heading-unknown", where, message)
  }
}

const checkInputs = ({ body, bodyLine }: SkillFile, findings: Findings): void => {
  const parsed = outline(body)
  const section = parsed.sections.find((one) => skillPart(one) === "inputRequirements")
  if (section === undefined) return
  for (const { how, kind, line, what } of readSkillInputs(bodyOf(parsed, section)).faults) {
    const where = { section: section.heading, line: bodyLine - 1 + section.line + line }
    addIssue(findings, kind === "type" ? "skill-input-type" : "skill-input-name", where, { what, how })
  }
}

const checkLinks = (file: SkillFile, files: ReadonlySet<string>, findings: Findings): void => {
  for (const { href, line, path } of linksIn(file)) {
    if (files.has(path)) continue
    const what = `There is no file "${href}" in the folder of the skill.`
    addIssue(findings, "skill-link-broken", { line }, { what, quote: href })
  }
}

/** Checks the bytes of `<folder>/SKILL.md`. */
export const lintSkill = (bytes: Uint8Array, folder: string, { files, tools }: LintContext): SkillLint => {
  const reading = readSkill(bytes, folder)
  const findings: Findings = { issues: [...reading.issues], repairs: [] }
  for (const { code, message, where } of reading.repairs) {
    const rejected = forbidden.find((one) => one === code)
    if (rejected === undefined) findings.repairs.push({ code, where, message })
    else findings.issues.push({ code, where, what: message, how: ruleOf(rejected).fix })
  }
  const file = Result.getOrUndefined(readSkillFile(bytes))
  if (file === undefined) return inDocumentOrder(findings)
  checkKeys(file, findings)
  checkSettings(file, findings)
  checkPlaceholders(file, findings)
  checkHeadings(file, findings)
  checkInputs(file, findings)
  checkLinks(file, files, findings)
  const skill = Option.getOrUndefined(reading.value)
  if (skill === undefined) return inDocumentOrder(findings)
  const tokens = skillTokens(skill)
  checkSkill(skill, file, tools, findings)
  checkSize(file, tokens, findings)
  return { ...inDocumentOrder(findings), tokens }
}
