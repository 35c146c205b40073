/**
 * Names and commands of a project as a prompt may show them. They come from the project, so they stay in one line, in a
 * code span, and of limited length.
 */
import { codeSpan } from "../markdown/PromptBlock.ts"
import { printable } from "../text/Printable.ts"

const longestPart = 80
const longestPath = 200

/** What nothing that is shown may hold: it would end a code span, or looks like a mark of a chat template. */
const unusual = /[`<>|\\]|^\s|\s$|^$/

/** True for a part of a path that can be shown as it stands. */
const isPlainPart = (part: string): boolean =>
  part.length <= longestPart && !unusual.test(part) && printable(part) === part

const usualPart = String.raw`[\w.@+-]{1,${longestPart}}`
/** Most paths of most projects, which need no closer look. */
const usualPath = new RegExp(`^(?:${usualPart}/)*${usualPart}$`)

/** True for a path that can be shown as it stands; the others are left out, since an escaped path leads nowhere. */
export const isPlainPath = (path: string): boolean =>
  path.length <= longestPath && (usualPath.test(path) || path.split("/").every(isPlainPart))

/** A path as code. */
export const shownPath = (path: string): string => `\`${path}\``

/**
 * A command or another text of the project as code in one line, at most so long.
 *
 * ```ts
 * shownText("node a.js &&\n  node b.js", 80) // "`node a.js && node b.js`"
 * ```
 */
export const shownText = (text: string, longest: number): string => {
  const line = printable(
    text
      .slice(0, 4 * longest)
      .replace(/\s+/g, " ")
      .trim()
  ).replaceAll("<|", "< |")
  const cut = line.length <= longest ? line : `${line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "")}…`
  return codeSpan(cut)
}
