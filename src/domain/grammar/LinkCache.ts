/**
 * Finding links in a field is what reading a task list costs, and the same field is read more than once: while the answer
 * is written, when it is complete, and again in an answer that repeats it. A memo keeps what was found by the text it was
 * found in, so reading with it gives the same as reading without.
 */
import * as Option from "effect/Option"
import { type FoundLink, inlineLinks } from "../markdown/MarkdownTree.ts"

/** Finds the links of one field; nothing when the text is above the caps. */
export type LinkReader = (text: string) => Option.Option<ReadonlyArray<FoundLink>>

/** Finds links and remembers them for as long as it is held itself. */
export const cacheLinks = (find: LinkReader = inlineLinks): LinkReader => {
  const known = new Map<string, Option.Option<ReadonlyArray<FoundLink>>>()
  return (text) => {
    const found = known.get(text) ?? find(text)
    known.set(text, found)
    return found
  }
}
