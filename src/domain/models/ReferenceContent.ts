/**
 * What a reference resolves to, and the block that shows it in a prompt. Size and block are made from one value: what is
 * measured is what is used.
 */
import * as Schema from "effect/Schema"
import { closeMarkdown } from "../markdown/MarkdownTree.ts"
import { fileBlock, rawBlock } from "../markdown/PromptBlock.ts"
import { Reference } from "../plan/Reference.ts"

/**
 * `markdown` (headings, results) is shown as it is, `file` (also pages) in a fence with its language; `later` is what
 * exists or may be opened only when the task runs.
 */
export const ReferenceContent = Schema.Union([
  Schema.Struct({ kind: Schema.tag("markdown"), text: Schema.String }),
  Schema.Struct({ kind: Schema.tag("file"), text: Schema.String, language: Schema.String }),
  Schema.Struct({ kind: Schema.tag("later") })
])
export type ReferenceContent = typeof ReferenceContent.Type

/** A reference with its content; `reference` is the mended one when something was wrong with it. */
export const ResolvedReference = Schema.Struct({ reference: Reference, content: ReferenceContent })
export type ResolvedReference = typeof ResolvedReference.Type

/** Characters that count for the budget. */
export const contentSize = (content: ReferenceContent): number => (content.kind === "later" ? 0 : content.text.length)

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, " ")

/** `Reference information for <title>`, `The contents of <href>`, and the content. */
export const referenceBlock = ({ content, reference }: ResolvedReference): string => {
  const { href, title } = reference
  const heading = `Reference information for ${oneLine(title === "" ? href : title)}\n\nThe contents of ${oneLine(href)}`
  switch (content.kind) {
    case "markdown":
      return rawBlock(heading, content.text.trim() === "" ? "(empty)" : closeMarkdown(content.text))
    case "file":
      return fileBlock(heading, content)
    case "later":
      return ""
  }
}

/** Without what repeats an earlier reference word for word. */
export const withoutRepetitions = <A>(all: ReadonlyArray<A>, referenceOf: (one: A) => Reference): ReadonlyArray<A> => {
  const seen = new Set<string>()
  return all.filter((one) => {
    const { href } = referenceOf(one)
    return !seen.has(href) && seen.add(href)
  })
}
