/**
 * The known headings of each kind of document, with other wordings that models use. They are found by slug, so level,
 * emphasis, numbering and punctuation do not matter. A bold line can be a heading too.
 */
import { forgivingSlug, slugOf } from "../text/Slug.ts"
import type { Line } from "./Line.ts"

interface KnownHeading {
  readonly key: string
  readonly title: string
  readonly depth: number
  /** False if the heading is another wording of the known heading. */
  readonly exact: boolean
  /** True if text may follow on the same line, as in `**Result summary:** done`. */
  readonly leads: boolean
}

/** For one kind of document: finds the known heading that a text stands for. Undefined if there is none. */
export type KnownHeadings = (heading: string) => KnownHeading | undefined

/** The slug for comparison, without punctuation before the first word. */
const comparable = (heading: string): string =>
  forgivingSlug(slugOf(heading.replace(/^[^\p{L}\p{N}]+/u, "").replace(/\s+/g, " ")))

const unnumbered = (slug: string): string => slug.replace(/^\d+-/, "")

/** The table entries of one known heading: its title, and the slugs of its other wordings. */
const spellingsOf = (
  key: string,
  title: string,
  others: string,
  leads = false
): ReadonlyArray<[string, KnownHeading]> => {
  const heading = { key, title, depth: 2, exact: false, leads }
  return [
    ...others.split(" ").map((slug): [string, KnownHeading] => [slug, heading]),
    [comparable(title), { ...heading, exact: true }]
  ]
}

/** The maximum length of a known heading, in characters. */
const longestHeading = 200

/** The slugs of the headings in their exact wording, for all kinds of documents. */
const exactSlugs = new Set<string>()

const findHeading = (entries: ReadonlyArray<[string, KnownHeading]>): KnownHeadings => {
  const table = new Map(entries)
  for (const [slug, { exact }] of entries) if (exact) exactSlugs.add(slug)
  return (heading) => {
    if (heading.length > longestHeading) return undefined
    const slug = comparable(heading)
    const found = table.get(slug)
    if (found !== undefined) return found
    // Also finds headings such as `1. Tasks`, `Tasks (revised)` and `Task: Research 1`.
    const [bare = ""] = heading.split(/[:(–—]/)
    const other =
      table.get(unnumbered(slug)) ?? (bare === heading ? undefined : table.get(unnumbered(comparable(bare))))
    return other === undefined ? undefined : { ...other, exact: false }
  }
}

const listHeadings = findHeading([
  ...spellingsOf(
    "original-prompt",
    "Original prompt",
    "prompt user-prompt original-request user-request request the-original-prompt"
  ),
  ...spellingsOf(
    "goals",
    "Goals / summary",
    "goals goal summary goalssummary goals-and-summary goal-summary summary-goals"
  ),
  ...spellingsOf("tasks", "Tasks", "task-list tasks-list list-of-tasks the-tasks"),
  ...spellingsOf(
    "issues",
    "Issues with the tasks (rectified)",
    "issues-with-the-tasks issues-with-the-tasks-rectified issues-rectified issues"
  )
])

const sectionSlug = /^task-section(?:-|$)/
const otherSectionSlug = /^(?:\d+-)?(?:tasks?-?)?(?:section|step|phase|stage|group)s?(?:-|$)/

/** Finds the known heading of a task list that a text stands for, including `### Task section N`. */
export const taskListHeadings: KnownHeadings = (heading) => {
  if (heading.length > longestHeading) return undefined
  const found = listHeadings(heading)
  if (found !== undefined) return found
  const slug = comparable(heading)
  const exact = sectionSlug.test(slug)
  return exact || otherSectionSlug.test(slug)
    ? { key: "task-section", title: "Task section", depth: 3, exact, leads: false }
    : undefined
}

/** The headings of an answer in a task, also those of an earlier format. */
export const turnHeadings: KnownHeadings = findHeading([
  ...spellingsOf("inputs", "Inputs", "input input-values task-inputs the-inputs skill-inputs"),
  ...spellingsOf("task", "Task", "refined-task updated-task task-data the-task"),
  ...spellingsOf("references", "Added references", "references reference additional-references further-references"),
  ...spellingsOf("look-first", "Look first", "look looks look-first-calls first-look looking-first read-first"),
  ...spellingsOf("tool-calls", "Tool Calls", "tool-call skill-call skill-calls calls toolcalls tool-calls-json")
])

export const resultHeadings: KnownHeadings = findHeading(
  spellingsOf(
    "result-summary",
    "Result summary",
    "results-summary summary summary-of-results summary-of-the-result summary-of-result result results",
    true
  )
)

/** True for the exact text of a known heading. A bold line with this text counts as a heading too. */
export const isKnownHeadingText = (text: string): boolean => {
  if (text.length > longestHeading) return false
  const slug = comparable(text)
  return exactSlugs.has(slug) || sectionSlug.test(slug)
}

/** A heading and the form in which it was written. */
export interface Heading {
  readonly text: string
  readonly depth: number
  /** The form of the heading. `bold` is possible only for known headings. */
  readonly form: "hashes" | "bold"
  readonly knownHeading: KnownHeading | undefined
  /** The text that follows a bold heading on the same line. */
  readonly lead: string
}

/** The text of a heading without emphasis, code marks and links, also nested ones. */
const plainHeading = (text: string): string => {
  if (text.length > 500 || !/[[*_`]|^\s|\s$/.test(text)) return text
  const stripped = text
    .replace(/\[([^\][]*)\]\([^()]*\)/g, "$1")
    .replace(/\*\*|__|`/g, "")
    .trim()
  const plain = /^([*_]).+\1$/s.test(stripped) ? stripped.slice(1, -1).trim() : stripped
  return plain === text ? text : plainHeading(plain)
}

const boldLine = /^(?:\*\*([^*]+)\*\*|__([^_]+)__)\s*:?(.*)$/

const readBold = (line: string, knownHeadings: KnownHeadings): Heading | undefined => {
  const [, starred, underscored, after = ""] = boldLine.exec(line) ?? []
  const text = starred ?? underscored ?? ""
  const knownHeading = text === "" ? undefined : knownHeadings(text)
  const lead = after.trim()
  if (knownHeading?.exact !== true || (lead !== "" && !knownHeading.leads)) return undefined
  return {
    text: text.replace(/:\s*$/, "").trim(),
    depth: knownHeading.depth,
    form: "bold",
    knownHeading: knownHeading,
    lead
  }
}

export const readHeading = (line: Line, knownHeadings: KnownHeadings | undefined): Heading | undefined => {
  if (line.indent > 3 || line.isBlank) return undefined
  if (line.hashes === undefined) return knownHeadings && readBold(line.text.trim(), knownHeadings)
  const { depth, text: written } = line.hashes
  const plain = plainHeading(written)
  const knownHeading = knownHeadings?.(plain)
  if (line.indent > 0 && knownHeadings !== undefined && knownHeading === undefined) return undefined
  const text = knownHeading === undefined ? plain : plain.replaceAll("\u00a0", " ")
  return { text, depth, form: "hashes", knownHeading: knownHeading, lead: "" }
}
