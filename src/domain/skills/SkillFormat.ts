/**
 * Reads a SKILL.md by the rules of agentskills.io, leniently: a deviation is a repair, which only a linter shows; only
 * what makes the skill unusable is an issue.
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Reading } from "../findings/Issue.ts"
import { addIssue, addRepair, type Findings } from "../findings/IssueCode.ts"
import type { ReadYaml } from "./FrontMatter.ts"
import { isModelName, isSkillName, maxPasses, Skill, readSkillInputs } from "./Skill.ts"
import { placeOfKey, readSkillBody, readSkillFile, type SkillFile } from "./SkillFile.ts"
import { readToolNames, type ToolNames } from "./AllowedTools.ts"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "")

const readName = (file: SkillFile, folder: string, findings: Findings): string => {
  const name = textOf(file.fields["name"])
  const where = placeOfKey(file, "name")
  if (name === "") {
    const how = `Add the line "name: ${folder}".`
    addIssue(findings, "skill-name-missing", where, { what: "The skill has no name.", how })
  } else if (name !== folder) {
    const what = `The name "${name}" is not the name of the folder "${folder}".`
    addIssue(findings, "skill-name-not-folder", where, { what })
  } else if (!isSkillName(name)) {
    const message = `The name "${name}" should be at most 64 lower-case letters, digits and single hyphens.`
    addRepair(findings, "skill-name-form", where, message)
  }
  return name
}

const readDescription = (file: SkillFile, findings: Findings): string => {
  const description = textOf(file.fields["description"]).replace(/\s+/g, " ")
  const where = placeOfKey(file, "description")
  if (description === "") {
    addIssue(findings, "skill-description-missing", where, { what: "The skill has no description." })
  } else if (description.length > 1024) {
    const message = `The description has ${description.length} characters; at most 1024 are allowed.`
    addRepair(findings, "skill-description-long", where, message)
  }
  return description
}

const readAllowedTools = (file: SkillFile, findings: Findings): ToolNames | undefined => {
  const value = file.fields["allowed-tools"]
  if (value === undefined) return undefined
  const where = placeOfKey(file, "allowed-tools")
  const text = Array.isArray(value) ? value.filter((item) => typeof item === "string").join(" ") : textOf(value)
  if (Array.isArray(value) || text.includes(",")) {
    const message = "The tools should stand in one line, separated by blanks."
    addRepair(findings, "skill-tools-form", where, message)
  }
  const names = readToolNames(text)
  for (const [written, tool] of names.renamed) {
    addRepair(findings, "skill-tool-foreign", where, `Read the tool "${written}" as ${tool}.`)
  }
  return names
}

/** A setting of ours; metadata holds strings, other scalars are taken as their text. */
const readSetting = (file: SkillFile, key: string, findings: Findings): string => {
  const metadata = file.fields["metadata"]
  const value = isRecord(metadata) ? metadata[`task-conductor.${key}`] : undefined
  if (value === undefined || typeof value === "string") return textOf(value)
  const message = `The value of task-conductor.${key} should be a string in quotes.`
  addRepair(findings, "skill-metadata-form", placeOfKey(file, "metadata"), message)
  return typeof value === "boolean" || typeof value === "number" ? String(value) : ""
}

/** Every value but a clear no asks for approval: a misspelling must not remove a question. */
const readApproval = (file: SkillFile, findings: Findings): boolean => {
  const text = readSetting(file, "requires-approval", findings).toLowerCase()
  if (text === "" || text === "false") return false
  const asks = !["no", "off", "0"].includes(text)
  const message = `Read task-conductor.requires-approval "${text}" as "${asks}".`
  if (text !== "true") addRepair(findings, "skill-approval-value", placeOfKey(file, "metadata"), message)
  return asks
}

const readModel = (file: SkillFile, findings: Findings): string => {
  const model = readSetting(file, "model", findings)
  if (model === "" || isModelName(model)) return model
  const message = `"${model}" is not the name of a model, so it is not used.`
  addRepair(findings, "skill-model-name", placeOfKey(file, "metadata"), message)
  return ""
}

/** The number of passes; nothing when the file gives none. */
const readPasses = (file: SkillFile, findings: Findings): number | undefined => {
  const text = readSetting(file, "passes", findings)
  if (text === "") return undefined
  if (/^[1-9]$/.test(text) && Number(text) <= maxPasses) return Number(text)
  const message = `"${text}" is not a number from 1 to ${maxPasses}, so it is not used.`
  addRepair(findings, "skill-passes-value", placeOfKey(file, "metadata"), message)
  return undefined
}

const readFields = (file: SkillFile, folder: string): Reading<Skill> => {
  const findings: Findings = { issues: [], repairs: [...file.repairs] }
  const name = readName(file, folder, findings)
  const description = readDescription(file, findings)
  const { limits = [], tools: allowedTools } = readAllowedTools(file, findings) ?? {}
  const requiresApproval = readApproval(file, findings)
  const model = readModel(file, findings)
  const passes = readPasses(file, findings)
  const { execution, inputRequirements, refinement, repairs } = readSkillBody(file)
  const skill = new Skill({
    name,
    description,
    ...(allowedTools === undefined ? {} : { allowedTools }),
    ...(limits.length > 0 ? { toolLimits: limits } : {}),
    requiresApproval,
    ...(model === "" ? {} : { model }),
    ...(passes === undefined ? {} : { passes }),
    inputRequirements,
    refinement,
    execution,
    inputs: readSkillInputs(inputRequirements).inputs
  })
  return {
    value: findings.issues.length === 0 ? Option.some(skill) : Option.none(),
    issues: findings.issues,
    repairs: [...findings.repairs, ...repairs]
  }
}

/** Reads the bytes of `<folder>/SKILL.md`; `folder` is the bare name of the folder. */
export const readSkill = (bytes: Uint8Array, folder: string, readYaml: ReadYaml): Reading<Skill> =>
  Result.match(readSkillFile(bytes, readYaml), {
    onFailure: (issue) => ({ value: Option.none(), issues: [issue], repairs: [] }),
    onSuccess: (file) => readFields(file, folder)
  })
