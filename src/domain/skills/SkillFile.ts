/**
 * The two parts of a SKILL.md: the YAML front matter between two lines `---`, with the line of every key, and the body
 * with its three parts: what the input of a task must be, how the task is refined and how it is executed.
 */
import * as Result from "effect/Result"
import { type Document, isMap, isScalar, LineCounter, parseDocument } from "yaml"
import type { Issue, Repair, Where } from "../findings/Issue.ts"
import { makeIssue, makeRepair } from "../findings/IssueCode.ts"
import { bodyWithSubheadings, outline, type OutlineSection } from "../markdown/Outline.ts"
import { forgivingSlug, slugOf } from "../text/Slug.ts"
import { decodeText } from "../text/TextEncoding.ts"
import { frontMatterFault } from "./FrontMatterWords.ts"

export interface SkillFile {
  readonly fields: Readonly<Record<string, unknown>>
  /** The line of a key in the file, 1-based; 1 when the key is missing. */
  readonly lineOf: (key: string) => number
  readonly repairs: ReadonlyArray<Repair>
  /** What follows the front matter, and the line it begins at. */
  readonly body: string
  readonly bodyLine: number
}

/** `key: text with: a colon` is not YAML, but many skills are written like this. */
const quoteColons = (yaml: string): string =>
  yaml.replace(/^([\w-]+):[ \t]+([^\s"'[{|>&*!#][^\n]*: [^\n]*)$/gm, (_, key: string, value: string) => {
    return `${key}: ${JSON.stringify(value.trim())}`
  })

/** More levels than this are nobody's front matter, and the parser descends without a bound. */
const maxNesting = 64

/** True for more nesting than is read: brackets, open or closed without need, and blanks or list signs before a line. */
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

/** Maps as records; keys that are not text are left out. */
const plain = (value: unknown): unknown =>
  value instanceof Map
    ? Object.fromEntries([...value].flatMap(([key, inner]) => (typeof key === "string" ? [[key, plain(inner)]] : [])))
    : value

/** The values of the document; none when an alias leads nowhere or repeats a value. */
const valuesOf = (document: Document): Record<string, unknown> | undefined => {
  try {
    return plain(document.toJS({ mapAsMap: true, maxAliasCount: 0 })) as Record<string, unknown>
  } catch {
    return undefined
  }
}

const broken = (what: string, line: number, how?: string): Result.Result<never, Issue> =>
  Result.fail(makeIssue("front-matter-broken", { line }, { what, how }))

/** Splits a file and reads its front matter. Fails when there is none or when it is not a YAML mapping. */
const splitFile = (text: string): Result.Result<SkillFile, Issue> => {
  const lines = text.split(/\r?\n/)
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---")
  if (lines[0]?.trimEnd() !== "---" || end < 0) return broken("The file has no front matter.", 1)
  const yaml = lines.slice(1, end).join("\n")
  if (isNested(yaml)) return broken("The front matter is nested too deeply.", 2, "Write it as lines `key: value`.")
  const strict = parse(yaml)
  const quoted = quoteColons(yaml)
  const retried = strict.document.errors.length > 0 && quoted !== yaml
  const { document, lineOf } = retried ? parse(quoted) : strict
  const error = document.errors[0]
  if (error !== undefined) {
    const { how, what } = frontMatterFault(error)
    return broken(`The front matter cannot be read as YAML. ${what}`, (error.linePos?.[0].line ?? 1) + 1, how)
  }
  if (!isMap(document.contents))
    return broken("The front matter is not a list of keys with values.", 2, "Write it as lines `key: value`.")
  const fields = valuesOf(document)
  if (fields === undefined) return broken("The front matter uses YAML aliases.", 2, "Write every value out.")
  const message = "Read a value that contains a colon as if it were quoted."
  const repairs = retried ? [makeRepair("front-matter-unquoted", { line: 2 }, message)] : []
  return Result.succeed({ fields, lineOf, repairs, body: lines.slice(end + 1).join("\n"), bodyLine: end + 2 })
}

/** Reads the bytes of a SKILL.md. Fails when they are no text or the front matter cannot be read. */
export const readSkillFile = (bytes: Uint8Array): Result.Result<SkillFile, Issue> =>
  Result.flatMap(
    Result.mapError(decodeText(bytes), (because) =>
      makeIssue("skill-not-text", { line: 1 }, {
        what: `The file cannot be read as text: ${because}.`
      })
    ),
    splitFile
  )

export const placeOfKey = (file: SkillFile, field: string): Where => ({ field, line: file.lineOf(field) })

/** The headings of the body as they should be written, by their slug. */
const headings = {
  "input-requirements": "Input requirements",
  refinement: "Refinement",
  execution: "Execution"
} as const

type SkillPart = keyof typeof headings

const slugOfSection = (section: OutlineSection): string => forgivingSlug(slugOf(section.title))

/** Which of our parts a heading begins; nothing for any other heading. */
export const skillPart = (section: OutlineSection): SkillPart | undefined => {
  const slug = slugOfSection(section)
  return section.level > 0 && Object.hasOwn(headings, slug) ? (slug as SkillPart) : undefined
}

/** The text of a part: up to the next heading of its level or the next part. */
const partOf = (sections: ReadonlyArray<OutlineSection>, part: SkillPart): string => {
  const start = sections.findIndex((section) => skillPart(section) === part)
  const level = sections[start]?.level
  if (level === undefined) return ""
  return bodyWithSubheadings(sections, start, (section) => section.level <= level || skillPart(section) !== undefined)
}

/** Reads the body. Headings of another level or case are repairs; without any of ours the whole body is refinement and execution. */
export const readSkillBody = ({ body, bodyLine }: SkillFile) => {
  const sections = outline(body)
  const repairs = sections.flatMap((section) => {
    const part = skillPart(section)
    const { level, line, title } = section
    if (part === undefined || (level === 2 && title === headings[part])) return []
    const where = { section: title, line: bodyLine + line - 1 }
    return [makeRepair("skill-heading-form", where, `Read the heading "${title}" as "## ${headings[part]}".`)]
  })
  const isPlain = sections.every((section) => skillPart(section) === undefined)
  return {
    inputRequirements: partOf(sections, "input-requirements"),
    refinement: isPlain ? body.trim() : partOf(sections, "refinement"),
    execution: isPlain ? body.trim() : partOf(sections, "execution"),
    repairs
  }
}
