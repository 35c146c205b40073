/** What a reference resolves to, and the message when the references of a task are larger than a prompt allows. */
import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readMarkdown, sectionMarkdown } from "../markdown/Markdown.ts"
import { type FileReference, Reference } from "../plan/Reference.ts"
import { countLines, takeLines } from "../text/LineRange.ts"

/**
 * `markdown` (headings, results) is shown as it is, `file` (also pages) in a fence with its language; `later` does not
 * exist, or may not be opened, before the task runs.
 */
export const ReferenceContent = Schema.Union([
  Schema.Struct({ kind: Schema.tag("markdown"), text: Schema.String }),
  Schema.Struct({
    kind: Schema.tag("file"),
    text: Schema.String,
    language: Schema.String,
    /** The number of the first line, for a file whose lines are shown with numbers. */
    first: Schema.optionalKey(Schema.Int),
    /** How many lines the file has, when the text holds only some of them. */
    of: Schema.optionalKey(Schema.Int),
    /** How the file is encoded, in a sentence, when it is not UTF-8. */
    encoding: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({ kind: Schema.tag("later") })
])
export type ReferenceContent = typeof ReferenceContent.Type

/** A reference with its content; `reference` is the repaired one when something was wrong with it. */
export const ResolvedReference = Schema.Struct({ reference: Reference, content: ReferenceContent })
export type ResolvedReference = typeof ResolvedReference.Type

/** Characters that count for the budget. */
const contentSize = (content: ReferenceContent): number => (content.kind === "later" ? 0 : content.text.length)

/** Without what repeats an earlier reference word for word. */
export const withoutRepetitions = <A>(all: ReadonlyArray<A>, referenceOf: (one: A) => Reference): ReadonlyArray<A> =>
  Arr.dedupeWith(all, (one, other) => referenceOf(one).href === referenceOf(other).href)

/** So much of each reference is shown at least, unless it is shorter. */
const leastShown = 1000

/** What the references need at least: the outline of a long one is enough. */
export const leastSize = (resolved: ReadonlyArray<ResolvedReference>): number =>
  resolved.reduce((sum, { content }) => sum + Math.min(leastShown, contentSize(content)), 0)

const lineSteps = [2000, 1000, 500, 200, 100, 50, 20, 10]

/** The longest beginning in round numbers of lines that fits. */
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

/** The first headings whose sections fit. */
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

/** What is wrong and how to fix it, in the words of an issue. Takes references that are over the budget together. */
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
