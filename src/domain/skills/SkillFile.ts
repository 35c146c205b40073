/**
 * The two parts of a SKILL.md: the front matter between two lines `---`, with the line of every key, and the body with its
 * three parts: what the input of a task must be, how the task is refined and how it is executed.
 */
import * as Result from "effect/Result"
import type { Issue, Where } from "../findings/Issue.ts"
import { makeIssue, makeRepair } from "../findings/IssueCode.ts"
import { bodyWithSubheadings, outline, type OutlineSection } from "../markdown/Outline.ts"
import { forgivingSlug, slugOf } from "../text/Slug.ts"
import { decodeText } from "../text/TextEncoding.ts"
import { brokenFrontMatter, type FrontMatter, plainFrontMatter, type ReadYaml } from "./FrontMatter.ts"

export interface SkillFile extends FrontMatter {
  /** What follows the front matter, and the line it begins at. */
  readonly body: string
  readonly bodyLine: number
}

/** The text of both parts. Fails when there is no front matter, and for bytes that are no text. */
const splitFile = (bytes: Uint8Array) =>
  decodeText(bytes).pipe(
    Result.mapError((because) =>
      makeIssue("skill-not-text", { line: 1 }, { what: `The file cannot be read as text: ${because}.` })
    ),
    Result.flatMap((text) => {
      const lines = text.split(/\r?\n/)
      const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---")
      if (lines[0]?.trimEnd() !== "---" || end < 0) return brokenFrontMatter("The file has no front matter.", 1)
      const [front, body] = [lines.slice(1, end).join("\n"), lines.slice(end + 1).join("\n")]
      return Result.succeed({ front, body, bodyLine: end + 2 })
    })
  )

/** True when the front matter has to be read as YAML. */
export const needsYaml = (bytes: Uint8Array): boolean =>
  Result.match(splitFile(bytes), {
    onFailure: () => false,
    onSuccess: ({ front }) => plainFrontMatter(front) === undefined
  })

/** Reads the bytes of a SKILL.md. Fails when they are no text or the front matter cannot be read. */
export const readSkillFile = (bytes: Uint8Array, readYaml: ReadYaml): Result.Result<SkillFile, Issue> =>
  Result.flatMap(splitFile(bytes), ({ front, ...parts }) => {
    const plain = plainFrontMatter(front)
    const read = plain === undefined ? readYaml(front) : Result.succeed(plain)
    return Result.map(read, (frontMatter) => ({ ...frontMatter, ...parts }))
  })

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
