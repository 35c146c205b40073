/**
 * The headings that the documents are made of, with the other wordings under which models write them. A landmark is
 * found by its slug, whatever its level, emphasis, numbering or punctuation.
 */
import { forgivingSlug, slugOf } from "../text/Slug.ts"

/** A heading that a reader looks for. */
export interface KnownHeading {
  readonly key: string
  /** The text of the strict document. */
  readonly title: string
  /** The level of the strict document. */
  readonly depth: number
  /** False when the heading is known only as another wording. */
  readonly exact: boolean
  /** True when text may follow on the same line, as in `**Result summary:** done`. */
  readonly leads: boolean
}

/** Tells whether a heading is a landmark of one kind of document. */
export type KnownHeadings = (heading: string) => KnownHeading | undefined

interface Entry {
  readonly key: string
  readonly title: string
  readonly depth?: number
  readonly leads?: boolean
  readonly also?: ReadonlyArray<string>
}

/** Signs before the first word say nothing, hard spaces are spaces. */
const comparable = (heading: string): string =>
  forgivingSlug(slugOf(heading.replace(/^[^\p{L}\p{N}]+/u, "").replace(/\s+/g, " ")))

const landmarksOf = (entries: ReadonlyArray<Entry>): KnownHeadings => {
  const table = new Map<string, KnownHeading>()
  for (const { also = [], depth = 2, key, leads = false, title } of entries) {
    for (const slug of also) table.set(slug, { key, title, depth, exact: false, leads })
    table.set(comparable(title), { key, title, depth, exact: true, leads })
  }
  return (heading) => {
    if (heading.length > 200) return undefined
    const slug = comparable(heading)
    const found = table.get(slug)
    if (found !== undefined) return found
    // `1. Tasks`, `Tasks (revised)`, `Task: Research 1`
    const [bare = ""] = heading.split(/[:(–—]/)
    const other = table.get(slug.replace(/^\d+-/, "")) ?? table.get(comparable(bare).replace(/^\d+-/, ""))
    return other === undefined ? undefined : { ...other, exact: false }
  }
}

const listHeadings = landmarksOf([
  {
    key: "original-prompt",
    title: "Original prompt",
    also: ["prompt", "user-prompt", "original-request", "user-request", "request", "the-original-prompt"]
  },
  {
    key: "goals",
    title: "Goals / summary",
    also: ["goals", "goal", "summary", "goalssummary", "goals-and-summary", "goal-summary", "summary-goals"]
  },
  { key: "tasks", title: "Tasks", also: ["task-list", "tasks-list", "list-of-tasks", "the-tasks"] },
  {
    key: "issues",
    title: "Issues with the tasks (rectified)",
    also: ["issues-with-the-tasks", "issues-with-the-tasks-rectified", "issues-rectified", "issues"]
  }
])

const sectionSlug = /^task-section(?:-|$)/
const otherSectionSlug = /^(?:\d+-)?(?:tasks?-?)?(?:section|step|phase|stage|group)s?(?:-|$)/

/** Headings of a task list; every `### Task section N` is one. */
export const taskListHeadings: KnownHeadings = (heading) => {
  const found = listHeadings(heading)
  if (found !== undefined || heading.length > 200) return found
  const slug = comparable(heading)
  const exact = sectionSlug.test(slug)
  return exact || otherSectionSlug.test(slug)
    ? { key: "task-section", title: "Task section", depth: 3, exact, leads: false }
    : undefined
}

/** Headings of a refinement, with those of an older form. */
export const refinementHeadings: KnownHeadings = landmarksOf([
  { key: "inputs", title: "Inputs", also: ["input", "input-values", "task-inputs", "the-inputs", "skill-inputs"] },
  { key: "task", title: "Task", also: ["refined-task", "updated-task", "task-data", "the-task"] },
  {
    key: "tool-calls",
    title: "Tool Calls",
    also: ["tool-call", "skill-call", "skill-calls", "calls", "toolcalls", "tool-calls-json"]
  }
])

/** Headings of a result. */
export const resultHeadings: KnownHeadings = landmarksOf([
  {
    key: "result-summary",
    title: "Result summary",
    leads: true,
    also: ["results-summary", "summary", "summary-of-results", "summary-of-the-result", "summary-of-result", "result"]
  }
])

/** True for a text that is an exact landmark of any document: as a bold or underlined line it would be a heading. */
export const isKnownHeadingText = (text: string): boolean =>
  [taskListHeadings, refinementHeadings, resultHeadings].some((knownHeadings) => knownHeadings(text)?.exact === true)
