/**
 * Recognises lines with which a model leaves out text that it means to keep, such as `// ... rest stays the same`. Written
 * to a file they would remove what they stand for. A line that is no comment in the language of its file is text, unless nothing
 * but an omission looks like it, and so is a line that the request quotes.
 */
import { languageOf } from "./Language.ts"

/** Signs with which comments begin. */
const signs = {
  slashes: /^\s*(?:\/\/+|\/\*+|\*)\s*/,
  hash: /^\s*#+\s*/,
  dashes: /^\s*--\s*/,
  semicolon: /^\s*;+\s*/,
  percent: /^\s*%+\s*/,
  braces: /^\s*\{\/\*\s*/,
  angle: /^\s*<!--\s*/,
  any: /^\s*(?:\/\/+|#+|--|;+|%+|\/\*+|\{\/\*|<!--|\*)\s*/
} as const

/** Languages whose lines may be running text, or data with it, and the signs of their comments. */
const textLanguages: Readonly<Record<string, ReadonlyArray<RegExp>>> = {
  markdown: [signs.angle],
  mdx: [signs.angle, signs.braces],
  rst: [],
  text: [],
  csv: [],
  diff: [],
  json: [],
  jsonl: [],
  latex: [signs.percent],
  html: [signs.angle, signs.slashes],
  xml: [signs.angle],
  vue: [signs.angle, signs.slashes],
  svelte: [signs.angle, signs.slashes],
  php: [signs.angle, signs.slashes, signs.hash],
  tsx: [signs.braces, signs.slashes],
  jsx: [signs.braces, signs.slashes],
  yaml: [signs.hash],
  toml: [signs.hash],
  ini: [signs.hash, signs.semicolon],
  "": [signs.any]
}

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

/** A line that may stand for others, without the signs around it. */
interface Omission {
  readonly isComment: boolean
  /** True in a language in which a line that is no comment may be text of its own. */
  readonly mayBeText: boolean
  /** The words with their dots. */
  readonly said: string
}

const omissionOf = (line: string, language: string): Omission => {
  const marks = textLanguages[language]
  const mark = (marks ?? [signs.any]).map((sign) => sign.exec(line)?.[0] ?? "").find((one) => one !== "") ?? ""
  const said = line.slice(mark.length).replace(commentEnd, "").trim()
  return { isComment: mark.trim() !== "", mayBeText: marks !== undefined, said }
}

const dotsFirst = /^(?:\.{3,}|\u2026)/
const dotsLast = /(?:\.{3,}|\u2026)$/
const names = new RegExp(`\\b(?:${part}|document)\\b`, "i")

/** True for a line in brackets, or with dots on both sides, or that speaks of code: no text of its own looks like it. */
const isOmission = (said: string, text: string, words: string): boolean =>
  (/^[[(<]/.test(said) && kept.test(words)) || (dotsFirst.test(text) && dotsLast.test(text)) || names.test(words)

/** True for a line that stands for text which is not written out. A spread such as `...rest` is none. */
const isElision = (line: string, language: string): boolean => {
  if (line.length > maxLength || spread.test(line)) return false
  const { isComment, mayBeText, said } = omissionOf(line, language)
  if (alone.test(said) && (isComment || said.startsWith("<"))) return true
  const text = said.replace(/^[[(<]\s*|\s*[\])>]$/g, "").trim()
  const [starts, ends] = [dotsFirst.test(text), dotsLast.test(text)]
  const words = text.replace(/^(?:\.{3,}|\u2026)\s*|\s*(?:\.{3,}|\u2026)$/g, "").replace(/[.:]$/, "")
  if (words === "") return isComment && starts
  if (!/^[\p{L}\p{N}\s'"`_/&,()-]+$/u.test(words)) return false
  if (!starts && !ends) return isComment && sentence.test(words)
  if (!isComment && (!/\s/.test(words) || ((mayBeText || !starts) && !isOmission(said, text, words)))) return false
  return starts ? kept.test(words) : atStart.test(words)
}

const plain = (text: string): string => text.replaceAll("\u2026", "...").replace(/\s+/g, " ").toLowerCase()
const refusal = /\b(?:no|not|never|without|avoid|don['’]t|do not)\b/

/** True for a line whose words the request holds, in a sentence that asks for them. */
const isQuoted = (line: string, language: string, request: string): boolean => {
  const said = plain(omissionOf(line, language).said)
  if (!/\p{L}/u.test(said)) return false
  const text = plain(request)
  const at = text.indexOf(said)
  return (
    at !== -1 &&
    !refusal.test(
      text
        .slice(0, at)
        .split(/[.!?;](?=\s)/)
        .at(-1) ?? ""
    )
  )
}

/** A text for a file, what it replaces, and what was asked for. */
export interface ReplacedText {
  readonly path: string
  readonly newText: string
  readonly oldText: string
  /** The words of the person and of the task. */
  readonly request?: string
}

/** The first line of a new text that stands for other text: one of the old text, or one that the request quotes, does not. */
export const elisionIn = ({ newText, oldText, path, request = "" }: ReplacedText): string | undefined => {
  const language = languageOf(path)
  const old = new Set(oldText.split("\n").map((line) => line.trim()))
  return newText
    .split("\n")
    .find((line) => isElision(line, language) && !old.has(line.trim()) && !isQuoted(line, language, request))
}
