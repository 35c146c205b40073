/** Defines the content of a reference. Also writes the message for a task whose references exceed the budget. */
import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readMarkdown, sectionMarkdown } from "../markdown/Markdown.ts"
import { type FileReference, Reference } from "../plan/Reference.ts"
import { countLines, takeLines } from "../text/LineRange.ts"

/**
 * The content of a reference.
 * - `markdown` (of a heading or a result) is shown unchanged.
 * - `file` (of a file or a page) is shown in a fence.
 * - `later` stands for content that does not exist before the task runs, or that must not be read earlier.
 */
export const ReferenceContent = Schema.Union([
  Schema.Struct({ kind: Schema.tag("markdown"), text: Schema.String }),
  Schema.Struct({
    kind: Schema.tag("file"),
    text: Schema.String,
    language: Schema.String,
    /** The number of the first line. Absent if the lines have no numbers. */
    first: Schema.optionalKey(Schema.Int),
    /** The number of lines in the file. Absent if `text` is the whole file. */
    of: Schema.optionalKey(Schema.Int),
    /** A sentence about the encoding of the file. Absent for UTF-8. */
    encoding: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({ kind: Schema.tag("later") })
])
export type ReferenceContent = typeof ReferenceContent.Type

/** A reference, as written or repaired, with its content. */
export const ResolvedReference = Schema.Struct({ reference: Reference, content: ReferenceContent })
export type ResolvedReference = typeof ResolvedReference.Type

/** The characters that count towards the budget. */
const contentSize = (content: ReferenceContent): number => (content.kind === "later" ? 0 : content.text.length)

/** Removes references whose link equals the link of an earlier reference. */
export const withoutRepetitions = <A>(all: ReadonlyArray<A>, referenceOf: (one: A) => Reference): ReadonlyArray<A> =>
  Arr.dedupeWith(all, (one, other) => referenceOf(one).href === referenceOf(other).href)

/** Of a longer reference, a prompt shows at least this many characters. */
const leastShown = 1000

/**
 * The minimum number of characters for these references together. For a long reference, it is only enough for an
 * outline.
 */
export const leastSize = (resolved: ReadonlyArray<ResolvedReference>): number =>
  resolved.reduce((sum, { content }) => sum + Math.min(leastShown, contentSize(content)), 0)

const lineSteps = [2000, 1000, 500, 200, 100, 50, 20, 10]

/**
 * Returns a link to the first lines of the reference. The link covers the largest round number of lines that fits
 * `limit` characters. The list is empty if no such number fits.
 */
const byLines = ({ heading, lines, target }: FileReference, text: string, limit: number): ReadonlyArray<string> => {
  if (heading !== undefined) return []
  const start = lines?.from ?? 1
  const count = countLines(text)
  const step = lineSteps.find(
    (size) =>
      size < count && Option.exists(takeLines(text, { from: 1, to: size }), (beginning) => beginning.length <= limit)
  )
  return step === undefined ? [] : [`${target}#L${start}-L${start + step - 1}`]
}

/**
 * Links to at most two sections: the first ones that have at most `limit` characters. Empty if the reference names
 * lines.
 */
const byHeadings = (reference: FileReference, text: string, limit: number): ReadonlyArray<string> => {
  if (reference.lines !== undefined) return []
  const document = readMarkdown(text)
  return document.sections
    .filter(({ anchor }) =>
      Option.exists(sectionMarkdown(document, anchor), (section) => section !== "" && section.length <= limit)
    )
    .slice(0, 2)
    .map(({ anchor }) => `${reference.target}#${anchor}`)
}

const narrowerForms = ({ content, reference }: ResolvedReference, limit: number): ReadonlyArray<string> => {
  if (reference.kind !== "file" || content.kind !== "file") return []
  const headings = content.language === "markdown" ? byHeadings(reference, content.text, limit) : []
  return [...headings, ...byLines(reference, content.text, limit)]
}

/** Says that the references exceed the budget, and how to narrow the largest. */
export const overBudget = (
  resolved: ReadonlyArray<ResolvedReference>,
  budget: number
): { readonly what: string; readonly how: string; readonly largest: string } => {
  const total = resolved.reduce((sum, { content }) => sum + contentSize(content), 0)
  const bySize = resolved.toSorted((a, b) => contentSize(b.content) - contentSize(a.content)).slice(0, 3)
  const forms = bySize.flatMap((one) => {
    const others = total - contentSize(one.content)
    return narrowerForms(one, Math.max(budget - others, Math.floor(budget / resolved.length)))
  })
  const named = bySize.map(({ content, reference }) => `${reference.href} (${contentSize(content)})`).join(", ")
  const narrower = forms.length === 0 ? "" : `Narrow them, for example to ${forms.join(" or ")}. `
  return {
    what: `The references have ${total} characters in total; ${budget} are allowed. The largest are ${named}.`,
    how: `${narrower}Leave out what is not needed, or split the task.`,
    largest: bySize[0]?.reference.href ?? ""
  }
}
