/**
 * Reads SKILL.md files by the rules of agentskills.io: front matter between two lines `---`, and a body of three parts
 * (input requirements, how to work, how to report). Small deviations are repaired; only a linter reports them. An issue
 * makes the skill unusable.
 */
import * as Predicate from "effect/Predicate"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type Document, isMap, isScalar, LineCounter, parseDocument } from "yaml"
import { type Issue, type Reading, type Repair, type Where, addIssue, addRepair, type Findings, makeIssue, makeRepair } from "../findings/Issue.ts"
import { outline } from "../markdown/Outline.ts"
import { type MarkdownSection, type SectionedText, textUnder } from "../markdown/Sections.ts"
import { forgivingSlug, slugOf } from "../text/Slug.ts"
import { decodeText } from "../text/TextEncoding.ts"
import { readToolNames, type ToolNames } from "./AllowedTools.ts"
import { isModelName, isSkillName, maxTurns, readSkillInputs, Skill } from "./Skill.ts"

interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>
  /** The line of a key, from 1; 1 if the key is missing. */
  readonly lineOf: (key: string) => number
  readonly repairs: ReadonlyArray<Repair>
}

const broken = (what: string, line: number, how?: string): Result.Result<never, Issue> =>
  Result.fail(makeIssue("front-matter-broken", { line }, { what, how }))

const asLines = "Write it as lines `key: value`."

/** Quotes values that contain colons. `key: text with: a colon` is not valid YAML, but occurs in many skills. */
const quoteColons = (yaml: string): string =>
  yaml.replace(/^([\w-]+):[ \t]+([^\s"'[{|>&*!#][^\n]*: [^\n]*)$/gm, (_, key: string, value: string) => {
    return `${key}: ${JSON.stringify(value.trim())}`
  })

/** The maximum number of levels of front matter, because the YAML parser recurses without a limit. */
const maxNesting = 64

/**
 * True if the text may have too many levels for the parser. Counts open brackets, and blanks and list signs at line
 * starts.
 */
const isNested = (yaml: string): boolean => {
  let open = 0
  return yaml.split("\n").some((line) => {
    for (const sign of line.match(/[[\]{}]/g) ?? []) {
      open += sign === "[" || sign === "{" ? 1 : -1
      if (Math.abs(open) > maxNesting) return true
    }
    const [lead = ""] = /^[\s?:-]*/.exec(line) ?? []
    return lead.replace(/\s/g, "").length > maxNesting || lead.length > 4 * maxNesting
  })
}

const parse = (yaml: string) => {
  const lines = new LineCounter()
  const document = parseDocument(yaml, { lineCounter: lines, logLevel: "error", schema: "core" })
  const pairs = isMap(document.contents) ? document.contents.items : []
  const lineOf = (key: string): number => {
    const name = pairs.map((pair) => pair.key).find((candidate) => isScalar(candidate) && candidate.value === key)
    return isScalar(name) && name.range ? lines.linePos(name.range[0]).line + 1 : 1
  }
  return { document, lineOf }
}

/** Converts maps to objects, without keys that are not strings. */
const plain = (value: unknown): unknown =>
  value instanceof Map
    ? Object.fromEntries([...value].flatMap(([key, inner]) => (typeof key === "string" ? [[key, plain(inner)]] : [])))
    : value

/** The values in the document; undefined if it uses an alias. */
const valuesOf = (document: Document): Record<string, unknown> | undefined => {
  try {
    return plain(document.toJS({ mapAsMap: true, maxAliasCount: 0 })) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** Reads front matter. Fails if it is not a YAML mapping. */
const readFrontMatter = (yaml: string): Result.Result<FrontMatter, Issue> => {
  if (isNested(yaml)) return broken("The front matter is nested too deeply.", 2, asLines)
  const strict = parse(yaml)
  const quoted = quoteColons(yaml)
  const retried = strict.document.errors.length > 0 && quoted !== yaml
  const { document, lineOf } = retried ? parse(quoted) : strict
  const error = document.errors[0]
  if (error !== undefined) {
    const [said = ""] = error.message.split(/ at line \d+|\n/, 1)
    const how = "Write lines `key: value`, and put a value that has a meaning in YAML into quotes."
    return broken(`The front matter cannot be read as YAML: ${said}.`, (error.linePos?.[0].line ?? 1) + 1, how)
  }
  if (!isMap(document.contents)) return broken("The front matter is not a list of keys with values.", 2, asLines)
  const fields = valuesOf(document)
  if (fields === undefined) return broken("The front matter uses YAML aliases.", 2, "Write every value out.")
  const message = "Read a value that contains a colon as if it were quoted."
  const repairs = retried ? [makeRepair("front-matter-unquoted", { line: 2 }, message)] : []
  return Result.succeed({ fields, lineOf, repairs })
}

/** The front matter and the body of a SKILL.md. */
export interface SkillFile extends FrontMatter {
  /** The text after the front matter, and the number of its first line. */
  readonly body: string
  readonly bodyLine: number
}

/** Reads the bytes of a SKILL.md. Fails if they are no text, or if the front matter is unreadable. */
export const readSkillFile = (bytes: Uint8Array): Result.Result<SkillFile, Issue> =>
  decodeText(bytes).pipe(
    Result.mapError((because) =>
      makeIssue("skill-not-text", { line: 1 }, { what: `The file cannot be read as text: ${because}.` })
    ),
    Result.flatMap((text) => {
      const lines = text.split(/\r?\n/)
      const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---")
      if (lines[0]?.trimEnd() !== "---" || end < 0) return broken("The file has no front matter.", 1)
      const body = lines.slice(end + 1).join("\n")
      return Result.map(readFrontMatter(lines.slice(1, end).join("\n")), (frontMatter) => ({
        ...frontMatter,
        body,
        bodyLine: end + 2
      }))
    })
  )

export const placeOfKey = (file: SkillFile, field: string): Where => ({ field, line: file.lineOf(field) })

const headings = {
  inputRequirements: "Input requirements",
  refinement: "How to work",
  execution: "How to report"
} as const

type SkillPart = keyof typeof headings

/** The headings of earlier versions, which are accepted without a repair. */
const earlierHeadings: Partial<Record<SkillPart, string>> = { refinement: "Refinement", execution: "Execution" }

const partBySlug: ReadonlyMap<string, SkillPart> = new Map(
  [headings, earlierHeadings].flatMap((titles) =>
    (Object.entries(titles) as ReadonlyArray<[SkillPart, string]>).map(([part, title]) => [slugOf(title), part] as const)
  )
)

/** The part that a heading begins, if any. */
export const skillPart = ({ heading }: MarkdownSection): SkillPart | undefined =>
  partBySlug.get(forgivingSlug(slugOf(heading)))

/** The text of a part, up to the next part or heading of the same level. */
const partOf = (body: SectionedText, part: SkillPart): string => {
  const start = body.sections.find((section) => skillPart(section) === part)
  if (start === undefined) return ""
  return textUnder(body, start, (other) => other.depth <= start.depth || skillPart(other) !== undefined)
}

/** True for a body without headings of this format, as in skills of other programs. */
export const isPlainBody = ({ sections }: SectionedText): boolean =>
  sections.every((section) => skillPart(section) === undefined)

/**
 * Reads the body of a skill. A heading with another level or case is a repair. A body without parts becomes the
 * instructions.
 */
const readSkillBody = ({ body, bodyLine }: SkillFile) => {
  const written = outline(body)
  const repairs = written.sections.flatMap((section) => {
    const part = skillPart(section)
    const { depth, heading, line } = section
    if (part === undefined || (depth === 2 && [headings[part], earlierHeadings[part]].includes(heading))) return []
    const where = { section: heading, line: bodyLine + line - 1 }
    return [makeRepair("skill-heading-form", where, `Read the heading "${heading}" as "## ${headings[part]}".`)]
  })
  return {
    inputRequirements: partOf(written, "inputRequirements"),
    refinement: isPlainBody(written) ? body.trim() : partOf(written, "refinement"),
    execution: partOf(written, "execution"),
    repairs
  }
}

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
    const message = "Write the tools in one line, separated by blanks."
    addRepair(findings, "skill-tools-form", where, message)
  }
  const names = readToolNames(text)
  for (const [written, tool] of names.renamed) {
    addRepair(findings, "skill-tool-foreign", where, `Read the tool "${written}" as ${tool}.`)
  }
  return names
}

/** Reads a setting under `metadata`. It should be a string; other scalars become text. */
const readSetting = (file: SkillFile, key: string, findings: Findings): string => {
  const metadata = file.fields["metadata"]
  const value = Predicate.isObject(metadata) ? metadata[`task-conductor.${key}`] : undefined
  if (value === undefined || typeof value === "string") return textOf(value)
  const message = `The value of task-conductor.${key} should be a string in quotes.`
  addRepair(findings, "skill-metadata-form", placeOfKey(file, "metadata"), message)
  return typeof value === "boolean" || typeof value === "number" ? String(value) : ""
}

/**
 * True if the skill's tasks require approval. Only a clear "no" means no, so that a misspelled value cannot remove a
 * question.
 */
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

const readTurns = (file: SkillFile, findings: Findings): number | undefined => {
  const text = readSetting(file, "turns", findings)
  if (text === "") return undefined
  if (/^[1-9]\d*$/.test(text) && Number(text) <= maxTurns) return Number(text)
  const message = `"${text}" is not a number from 1 to ${maxTurns}, so it is not used.`
  addRepair(findings, "skill-turns-value", placeOfKey(file, "metadata"), message)
  return undefined
}

const readFields = (file: SkillFile, folder: string): Reading<Skill> => {
  const findings: Findings = { issues: [], repairs: [...file.repairs] }
  const name = readName(file, folder, findings)
  const description = readDescription(file, findings)
  const { limits = [], tools: allowedTools } = readAllowedTools(file, findings) ?? {}
  const requiresApproval = readApproval(file, findings)
  const model = readModel(file, findings)
  const turns = readTurns(file, findings)
  const { execution, inputRequirements, refinement, repairs } = readSkillBody(file)
  const skill = new Skill({
    name,
    description,
    ...(allowedTools === undefined ? {} : { allowedTools }),
    ...(limits.length > 0 ? { toolLimits: limits } : {}),
    requiresApproval,
    ...(model === "" ? {} : { model }),
    ...(turns === undefined ? {} : { turns }),
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

/** Reads the bytes of `<folder>/SKILL.md`. `folder` is a name without a path. */
export const readSkill = (bytes: Uint8Array, folder: string): Reading<Skill> =>
  Result.match(readSkillFile(bytes), {
    onFailure: (issue) => ({ value: Option.none(), issues: [issue], repairs: [] }),
    onSuccess: (file) => readFields(file, folder)
  })
