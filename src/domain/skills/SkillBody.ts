/**
 * The three parts of a skill's body: what its input must be, how a task is refined, how it is executed. Called by
 * domain/skills/SkillFormat.
 */
import type { Repair } from "../findings/Issue.ts"
import { makeRepair } from "../findings/IssueCode.ts"
import { outline, outlineText, type OutlineSection } from "../markdown/Outline.ts"
import { forgivingSlug, slugOf } from "../text/Slug.ts"

export interface SkillBody {
  readonly inputRequirements: string
  readonly refinement: string
  readonly execution: string
  readonly repairs: ReadonlyArray<Repair>
}

/** The headings as they should be written, by their slug. */
const headings: ReadonlyMap<string, string> = new Map([
  ["input-requirements", "Input requirements"],
  ["refinement", "Refinement"],
  ["execution", "Execution"]
])

/** Which of our parts a heading begins; nothing for any other heading. */
export const skillPart = (section: OutlineSection): string | undefined => {
  const slug = slugOfSection(section)
  return section.level > 0 && headings.has(slug) ? slug : undefined
}

const slugOfSection = (section: OutlineSection): string => forgivingSlug(slugOf(section.title))

/** The text of the section with this slug: up to the next heading of its level or the next part. */
const partOf = (sections: ReadonlyArray<OutlineSection>, slug: string): string => {
  const start = sections.findIndex((section) => skillPart(section) === slug)
  const first = sections[start]
  if (first === undefined) return ""
  const end = sections.findIndex(
    (section, index) => index > start && (section.level <= first.level || headings.has(slugOfSection(section)))
  )
  return [first.body, outlineText(sections.slice(start + 1, end < 0 ? sections.length : end))]
    .filter((text) => text !== "")
    .join("\n\n")
}

/** Reads the body. Headings of another level or case are repairs; without any of ours the whole body is the execution. */
export const readSkillBody = (body: string, firstLine: number): SkillBody => {
  const sections = outline(body)
  const ours = sections.filter((section) => skillPart(section) !== undefined)
  if (ours.length === 0) return { inputRequirements: "", refinement: "", execution: body.trim(), repairs: [] }
  return {
    inputRequirements: partOf(sections, "input-requirements"),
    refinement: partOf(sections, "refinement"),
    execution: partOf(sections, "execution"),
    repairs: ours
      .map((section) => ({ section, wanted: headings.get(slugOfSection(section)) ?? "" }))
      .filter(({ section, wanted }) => section.level !== 2 || section.title !== wanted)
      .map(({ section: { line, title }, wanted }) =>
        makeRepair(
          "skill-heading-form",
          { section: title, line: firstLine + line - 1 },
          `Read the heading "${title}" as "## ${wanted}".`
        )
      )
  }
}
