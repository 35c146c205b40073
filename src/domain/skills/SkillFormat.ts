/**
 * Reads a SKILL.md. Lenient: what the file does not say or says in another form is taken as well as it can be and noted
 * as a repair, which is what a linter shows; only what makes the skill unusable is an issue. The rules are those of
 * agentskills.io. Called by services/skills/Skills.
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Issue, Reading, Repair } from "../findings/Issue.ts"
import { type IssueCode, makeIssue, makeRepair, type RepairCode } from "../findings/IssueCode.ts"
import { isModelName, isSkillName, Skill } from "./Skill.ts"
import { readSkillBody } from "./SkillBody.ts"
import { readSkillInputs } from "./SkillInput.ts"
import { type FrontMatter, readFrontMatter } from "./SkillFrontMatter.ts"
import { decodeText } from "../text/TextEncoding.ts"

/** Collects what is found while the fields of one file are read. */
class Findings {
  readonly issues: Array<Issue> = []
  readonly repairs: Array<Repair> = []
  readonly #matter: FrontMatter

  constructor(matter: FrontMatter) {
    this.#matter = matter
    this.repairs.push(...matter.repairs)
  }

  issue(code: IssueCode, field: string, what: string, how?: string): void {
    this.issues.push(makeIssue(code, { field, line: this.#matter.lineOf(field) }, { what, how }))
  }

  repair(code: RepairCode, field: string, message: string): void {
    this.repairs.push(makeRepair(code, { field, line: this.#matter.lineOf(field) }, message))
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "")

const readName = (matter: FrontMatter, folder: string, found: Findings): string => {
  const name = textOf(matter.fields["name"])
  if (name === "") {
    found.issue("skill-name-missing", "name", "The skill has no name.", `Add the line "name: ${folder}".`)
  } else if (name !== folder) {
    const what = `The name "${name}" is not the name of the folder "${folder}".`
    found.issue("skill-name-not-folder", "name", what)
  } else if (!isSkillName(name)) {
    const message = `The name "${name}" should be at most 64 lower-case letters, digits and single hyphens.`
    found.repair("skill-name-form", "name", message)
  }
  return name
}

const readDescription = (matter: FrontMatter, found: Findings): string => {
  const description = textOf(matter.fields["description"]).replace(/\s+/g, " ")
  if (description === "") {
    found.issue("skill-description-missing", "description", "The skill has no description.")
  } else if (description.length > 1024) {
    const message = `The description has ${description.length} characters; at most 1024 are allowed.`
    found.repair("skill-description-long", "description", message)
  }
  return description
}

const readAllowedTools = (matter: FrontMatter, found: Findings): ReadonlyArray<string> | undefined => {
  const value = matter.fields["allowed-tools"]
  if (value === undefined) return undefined
  const text = Array.isArray(value) ? value.filter((item) => typeof item === "string").join(" ") : textOf(value)
  if (Array.isArray(value) || text.includes(",")) {
    found.repair("skill-tools-form", "allowed-tools", "The tools should stand in one line, separated by blanks.")
  }
  return [...new Set(text.split(/[\s,]+/).filter((tool) => tool !== ""))]
}

/** A setting of ours; metadata holds strings, other scalars are taken as their text. */
const readSetting = (matter: FrontMatter, key: string, found: Findings): string => {
  const metadata = matter.fields["metadata"]
  const value = isRecord(metadata) ? metadata[`task-conductor.${key}`] : undefined
  if (value === undefined || typeof value === "string") return textOf(value)
  found.repair("skill-metadata-form", "metadata", `The value of task-conductor.${key} should be a string in quotes.`)
  return typeof value === "boolean" || typeof value === "number" ? String(value) : ""
}

/** Whatever is not a clear no asks: a slip must not take a question away. */
const readApproval = (matter: FrontMatter, found: Findings): boolean => {
  const text = readSetting(matter, "requires-approval", found).toLowerCase()
  if (text === "" || text === "false") return false
  if (text === "true") return true
  const asks = !["no", "off", "0"].includes(text)
  const meaning = asks ? "true" : "false"
  found.repair("skill-approval-value", "metadata", `Read task-conductor.requires-approval "${text}" as "${meaning}".`)
  return asks
}

const readModel = (matter: FrontMatter, found: Findings): string => {
  const model = readSetting(matter, "model", found)
  if (model === "" || isModelName(model)) return model
  found.repair("skill-model-name", "metadata", `"${model}" is not the name of a model, so it is not used.`)
  return ""
}

const readFields = (matter: FrontMatter, folder: string): Reading<Skill> => {
  const found = new Findings(matter)
  const name = readName(matter, folder, found)
  const description = readDescription(matter, found)
  const allowedTools = readAllowedTools(matter, found)
  const requiresApproval = readApproval(matter, found)
  const model = readModel(matter, found)
  const { repairs, ...parts } = readSkillBody(matter.body, matter.bodyLine)
  const skill = new Skill({
    name,
    description,
    ...(allowedTools === undefined ? {} : { allowedTools }),
    requiresApproval,
    ...(model === "" ? {} : { model }),
    ...parts,
    inputs: readSkillInputs(parts.inputRequirements).inputs
  })
  return {
    value: found.issues.length === 0 ? Option.some(skill) : Option.none(),
    issues: found.issues,
    repairs: [...found.repairs, ...repairs]
  }
}

const unreadable = (issue: Issue): Reading<Skill> => ({ value: Option.none(), issues: [issue], repairs: [] })

/** Reads the bytes of `<folder>/SKILL.md`; `folder` is the bare name of the folder. */
export const readSkill = (bytes: Uint8Array, folder: string): Reading<Skill> =>
  Result.match(decodeText(bytes), {
    onFailure: (because) =>
      unreadable(makeIssue("skill-not-text", { line: 1 }, { what: `The file cannot be read as text: ${because}.` })),
    onSuccess: (text) =>
      Result.match(readFrontMatter(text), {
        onFailure: unreadable,
        onSuccess: (matter) => readFields(matter, folder)
      })
  })
