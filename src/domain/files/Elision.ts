/**
 * Recognises lines with which a model leaves out text that it means to keep, such as `// ... rest stays the same`. Written
 * to a file they would remove what they stand for.
 */

const comment = /^\s*(?:\/\/+|#+|--|;+|%+|\/\*+|\{\/\*|<!--|\*)?\s*/
const maxLength = 200
const commentEnd = /\s*(?:\*+\/\}?|-->)\s*$/
const leftOut = "rest|remaining|remainder|existing|unchanged|same|previous|others?|omitted|elided"
const part = "code|implementation|content|methods?|functions?|imports?|tests?|lines?|file|class|body"
const kept = new RegExp(`\\b(?:${leftOut}|as before|${part})\\b`, "i")
const atStart = new RegExp(`^(?:the )?(?:${leftOut})\\b`, "i")
const ending = "(?:(?:stays?|remains?|is|are|goes) )?(?:the same|unchanged|as (?:is|before)|here)"
const sentence = new RegExp(
  `^(?:(?:the )?(?:rest|remainder) of (?:the |this )?(?:\\w+ )?\\w+|(?:the )?(?:existing|previous|remaining|other) (?:\\w+ )?(?:${part})) ${ending}$`,
  "i"
)

/** `...others` of a list or an object, with a remark behind it. */
const spread = /^\s*\.{3}[\p{L}_$][\w$.]*[,;)\]}]*\s*(?:\/\/.*|\/\*.*)?$/u
/** A mark that says nothing else. */
const alone = /^[[(<]?(?:unchanged|no changes?|same as before|as before)[\])>]?[.:]?$/i

/** True for a line that stands for text which is not written out. A spread such as `...rest` is none. */
export const isElision = (line: string): boolean => {
  if (line.length > maxLength || spread.test(line)) return false
  const mark = comment.exec(line)?.[0] ?? ""
  const isComment = mark.trim() !== ""
  const said = line.slice(mark.length).replace(commentEnd, "").trim()
  if (alone.test(said) && (isComment || said.startsWith("<"))) return true
  const text = said.replace(/^[[(<]\s*|\s*[\])>]$/g, "").trim()
  const starts = /^(?:\.{3,}|\u2026)/.test(text)
  const ends = /(?:\.{3,}|\u2026)$/.test(text)
  const words = text.replace(/^(?:\.{3,}|\u2026)\s*|\s*(?:\.{3,}|\u2026)$/g, "").replace(/[.:]$/, "")
  if (words === "") return isComment && starts
  if (!/^[\p{L}\p{N}\s'"`_/&,()-]+$/u.test(words)) return false
  if (!starts && !ends) return isComment && sentence.test(words)
  if (!isComment && !/\s/.test(words)) return false
  return starts ? kept.test(words) : atStart.test(words)
}

/** The first line of a new text that stands for other text and is not a line of the old one. */
export const elisionIn = (newText: string, oldText: string): string | undefined => {
  const old = new Set(oldText.split("\n").map((line) => line.trim()))
  return newText.split("\n").find((line) => isElision(line) && !old.has(line.trim()))
}
