/**
 * Checks the new text of a file, or of a part of a file, before the program writes it.
 * - The text must not lose lines silently. Lines get lost if `// ... rest stays the same` stands in their place, or if
 *   a fragment is written as the whole file.
 * - The text must not contain artefacts of an answer: marks of blocks, fences, line numbers, trailing blanks, other
 *   line ends, invisible characters. An artefact counts as intended if the file already contains it, or if the kind of
 *   the file allows it.
 */
import type { IssueCode } from "../findings/Issue.ts"
import { withoutInvisible, withPlainCode, withPlainSigns } from "../text/PlainSigns.ts"
import { looseMark, readFence } from "./ChangeMarks.ts"
import { findText, lineAt, spellings, withoutNumbers } from "./EditPlaces.ts"
import { languageOf } from "./Language.ts"

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

/** Languages with lines of prose or data, and their comment signs. */
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

/** Matches a spread such as `...others` in a list or an object, with an optional comment after it. */
const spread = /^\s*\.{3}[\p{L}_$][\w$.]*[,;)\]}]*\s*(?:\/\/.*|\/\*.*)?$/u
/** Matches a placeholder that has no dots, such as `unchanged`. */
const alone = /^[[(<]?(?:unchanged|no changes?|same as before|as before)[\])>]?[.:]?$/i

/** A line without its comment signs. It may be a placeholder for omitted lines. */
interface Omission {
  readonly isComment: boolean
  /** True if a line of this language may be prose without a comment sign. */
  readonly mayBeText: boolean
  readonly dottedText: string
}

const omissionOf = (line: string, language: string): Omission => {
  const marks = textLanguages[language]
  const mark = (marks ?? [signs.any]).map((sign) => sign.exec(line)?.[0] ?? "").find((one) => one !== "") ?? ""
  const said = line.slice(mark.length).replace(commentEnd, "").trim()
  return { isComment: mark.trim() !== "", mayBeText: marks !== undefined, dottedText: said }
}

const dotsFirst = /^(?:\.{3,}|\u2026)/
const dotsLast = /(?:\.{3,}|\u2026)$/
const names = new RegExp(`\\b(?:${part}|document)\\b`, "i")

/** True for words that stand for omitted text: words in brackets, words between dots, or words such as "code". */
const isOmission = (said: string, text: string, words: string): boolean =>
  (/^[[(<]/.test(said) && kept.test(words)) || (dotsFirst.test(text) && dotsLast.test(text)) || names.test(words)

/** True for a line that stands for omitted text. A spread such as `...rest` does not count. */
const isElision = (line: string, language: string): boolean => {
  if (line.length > maxLength || spread.test(line)) return false
  const { isComment, mayBeText, dottedText } = omissionOf(line, language)
  if (alone.test(dottedText) && (isComment || dottedText.startsWith("<"))) return true
  const text = dottedText.replace(/^[[(<]\s*|\s*[\])>]$/g, "").trim()
  const [starts, ends] = [dotsFirst.test(text), dotsLast.test(text)]
  const words = text.replace(/^(?:\.{3,}|\u2026)\s*|\s*(?:\.{3,}|\u2026)$/g, "").replace(/[.:]$/, "")
  if (words === "") return isComment && starts
  if (!/^[\p{L}\p{N}\s'"`_/&,()-]+$/u.test(words)) return false
  if (!starts && !ends) return isComment && sentence.test(words)
  if (!isComment && (!/\s/.test(words) || ((mayBeText || !starts) && !isOmission(dottedText, text, words))))
    return false
  return starts ? kept.test(words) : atStart.test(words)
}

const plain = (text: string): string => text.replaceAll("\u2026", "...").replace(/\s+/g, " ").toLowerCase()
const refusal = /\b(?:no|not|never|without|avoid|don['’]t|do not)\b/

/** True for a line that the request quotes. A quotation after words such as "do not" does not count. */
const isQuoted = (line: string, language: string, request: string): boolean => {
  const dottedText = plain(omissionOf(line, language).dottedText)
  if (!/\p{L}/u.test(dottedText)) return false
  const text = plain(request)
  const at = text.indexOf(dottedText)
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

/** A new text, the text it replaces, and what the user asked for. */
export interface ReplacedText {
  readonly path: string
  readonly newText: string
  readonly oldText: string
  /** What the user and the task say. */
  readonly request?: string
}

/**
 * Finds the first placeholder in a new text: a line that stands for omitted text. A line that the old text or the
 * request contains, too, is no placeholder.
 */
export const elisionIn = ({ newText, oldText, path, request = "" }: ReplacedText): string | undefined => {
  const language = languageOf(path)
  const old = new Set(oldText.split("\n").map((line) => line.trim()))
  return newText
    .split("\n")
    .find((line) => isElision(line, language) && !old.has(line.trim()) && !isQuoted(line, language, request))
}

/** A file with fewer lines than this is not checked for lost lines. */
const leastLines = 12

/** If the new text has more than this share of the old lines, it does not count as a fragment. */
const mostKept = 0.6

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

const removal =
  /\b(?:remov|delet|drop|strip|prun|trim|shorten|simplif|clean|reduc|discard|obsolete|get rid|cut (?:out|down))/i

export const saysRemoval = (words: string): boolean => removal.test(words)

export interface Loss {
  readonly code: Extract<IssueCode, "change-elided" | "change-open">
  readonly what: string
  readonly how: string
}

const how = "Send blocks with the old and the new lines of each place instead."

/** The number of lines before and after the change. Undefined if the new text is more than a fragment of the file. */
const partOf = (base: string, text: string): { readonly before: number; readonly after: number } | undefined => {
  const before = linesOf(base)
  const after = linesOf(text)
  const known = new Set(before)
  const own = after.filter((line) => known.has(line)).length
  const isPart = after.length <= before.length * mostKept && own * 2 >= after.length
  return before.length < leastLines || !isPart ? undefined : { before: before.length, after: after.length }
}

/**
 * A sentence for the user about text that would be lost. `isWhole` is false for edits, which state what they remove.
 */
export const lossSentence = ({ newText, oldText, path }: ReplacedText, isWhole: boolean): string | undefined => {
  const elided = elisionIn({ newText, oldText, path })
  if (elided !== undefined) return `The line \`${elided.trim()}\` replaces other lines, which would be lost.`
  const part = isWhole ? partOf(oldText, newText) : undefined
  return part === undefined ? undefined : `Of ${part.before} lines with text, ${part.after} would be left.`
}

/** What a write would lose: omitted lines, or most of a file. `saysSo` is true when the answer announces a removal. */
export const lossOf = (replaced: ReplacedText, saysSo: boolean): Loss | undefined => {
  const { newText, oldText, path } = replaced
  const elided = elisionIn(replaced)
  if (elided !== undefined) {
    const what = `The line \`${elided.trim()}\` in the text for ${path} replaces other lines, which would be lost.`
    return { code: "change-elided", what, how }
  }
  const part = saysSo ? undefined : partOf(oldText, newText)
  if (part === undefined) return undefined
  const what = `The text for ${path} has ${part.after} of its ${part.before} lines, so nothing was changed.`
  return { code: "change-open", what, how: `${how} If the others are to go, say so in a sentence before the text.` }
}

/** A new text for a file, or for a part of it. */
export interface Written {
  readonly path: string
  /** The current text of the file; null for a new file. */
  readonly base: string | null
  /** The text that is replaced. Absent if the new text is a whole file. */
  readonly oldText?: string
  readonly newText: string
}

/**
 * The text without artefacts. `removedParts` are the names of these artefacts. `problem` says why the text is still
 * unclear.
 */
type Tidied = Pick<Written, "newText"> & { readonly removedParts: ReadonlyArray<string>; readonly problem?: string }

const prose: ReadonlySet<string> = new Set(["markdown", "mdx", "rst", "text", "latex", "diff", ""])
/** Languages with prose outside of quotes, in which a line may begin with a number. */
const mixed: ReadonlySet<string> = new Set(["html", "xml", "vue", "svelte", "tsx", "jsx", "yaml", "ini", "csv"])

const endBlanks = /(?<![ \t])[ \t]+(?=\r?$)/gm
const bareMark = /^\s*(?:<{7}|={7}|>{7})\s*$/
const isMark = (line: string): boolean => looseMark.test(line) || bareMark.test(line)

/** Removes lines at both ends of a text while they pass the test. */
const withoutEdges = (text: string, isOne: (line: string) => boolean): string => {
  const lines = text.split("\n")
  const tail = lines.at(-1) === "" ? 1 : 0
  let [from, to] = [0, lines.length - tail]
  while (from < to && isOne(lines[from] ?? "")) from += 1
  while (to > from && isOne(lines[to - 1] ?? "")) to -= 1
  return [...lines.slice(from, to), ...lines.slice(lines.length - tail)].join("\n")
}

const hasLine = (text: string, line: string): boolean => text.split("\n").includes(line)

const title = /^\s*[\p{L}\p{N}][\p{L}\p{N} .:-]{2,6}\s*$/u

/** True if the line is a row of seven equals signs that underlines a short title, as in documentation comments. */
const isUnderline = (lines: ReadonlyArray<string>, at: number): boolean =>
  /^\s*={7}\s*$/.test(lines[at] ?? "") && title.test(lines[at - 1] ?? "")

/** True if the text has a mark without its partner. Pairs are accepted, because the file may be about such marks. */
const hasOpenMarks = (text: string, base: string): boolean => {
  const lines = text.split("\n")
  const marks = lines.filter((line, at) => isMark(line) && !isUnderline(lines, at) && !hasLine(base, line))
  const count = (sign: RegExp) => marks.filter((line) => sign.test(line)).length
  return marks.length > 0 && (count(/^\s*</) === 0 || count(/^\s*</) !== count(/^\s*>/))
}

const withoutMarks = ({ newText }: Written, base: string): string =>
  hasOpenMarks(newText, base) ? withoutEdges(newText, (line) => isMark(line) && !hasLine(base, line)) : newText

const withoutFences = ({ newText }: Written, base: string): string => {
  const isFence = (line: string): boolean => readFence(line) !== undefined && !hasLine(base, line)
  const without = withoutEdges(newText, isFence)
  return without.split("\n").some(isFence) ? newText : without
}

/**
 * Removes copied line numbers. In an edit, they must begin with the number of the edited line. In a whole file, they
 * must begin with 1.
 */
const withoutOwnNumbers = ({ newText, oldText }: Written, base: string): string => {
  const numbered = withoutNumbers(newText)
  if (numbered === undefined) return newText
  const places = oldText === undefined ? [] : findText(base, { oldText, newText }, false)
  const isWhole = oldText === undefined && numbered.first === 1 && newText.trimEnd().includes("\n")
  return isWhole || places.some(({ from }) => lineAt(base, from) === numbered.first) ? numbered.text : newText
}

const withoutEndBlanks = ({ base, newText, oldText }: Written): string => {
  if (base === null || base.search(endBlanks) !== -1) return newText
  const places = oldText === undefined ? [] : findText(base, { oldText, newText }, true)
  const isWhole = places.every(({ to }) => /^(?:\r?\n|$)/.test(base.slice(to, to + 2)) || base[to - 1] === "\n")
  return newText.replace(endBlanks, (blanks, at: number) =>
    isWhole || at + blanks.length < newText.length ? "" : blanks
  )
}

/** If the text is a whole file, it gets the line ends of the file. An edit gets the line ends of its place later. */
const withOwnLineEnds = ({ base, newText, oldText, path }: Written): string => {
  if (oldText !== undefined) return newText
  const isMeant = base === null && (prose.has(languageOf(path)) || !/(?<!\r)\n/.test(newText))
  const [spell] = spellings(base ?? newText.replaceAll("\r\n", "\n"))
  return isMeant ? newText : spell(newText)
}

/**
 * One step of the cleaning: where it applies ("plain code" is code without prose), the name of the artefact, and the
 * function that removes it.
 */
type Step = readonly [where: "any" | "code" | "plain code", words: string, step: (one: Written, base: string) => string]

const steps: ReadonlyArray<Step> = [
  ["code", "marks of a block", withoutMarks],
  ["code", "fences", withoutFences],
  ["code", "blanks at the ends of lines", withoutEndBlanks],
  ["any", "invisible characters", ({ newText }, base) => withoutInvisible(newText, base)],
  [
    "any",
    "signs that the old text was given by mistake",
    ({ newText, oldText = "" }, base) =>
      withPlainSigns(newText, (sign) => base.includes(sign) || !oldText.includes(sign))
  ],
  ["any", "other line ends", withOwnLineEnds],
  ["plain code", "numbers of lines", withoutOwnNumbers],
  [
    "plain code",
    "typographic or full-width signs outside of strings and comments",
    ({ newText }, base) => withPlainCode(newText, (sign) => base.includes(sign))
  ]
]

/** Matches text that `tidyNewText` may change for some kind of file. */
export const mayBeUntidy = /[^\p{ASCII}]|[ \t\r]$|^[ \t]*(?:[<=>`~]{3}|\S*\d)/mu

export const tidyNewText = (written: Written): Tidied => {
  const language = languageOf(written.path)
  const kinds = prose.has(language) ? ["any"] : ["any", "code", ...(mixed.has(language) ? [] : ["plain code"])]
  const base = written.base ?? ""
  const removedParts: Array<string> = []
  let { newText } = written
  for (const [kind, words, step] of steps) {
    const next = kinds.includes(kind) ? step({ ...written, newText }, base) : newText
    if (next !== newText) removedParts.push(words)
    newText = next
  }
  const problem = "The new text holds marks that make no block."
  return {
    newText,
    removedParts,
    ...(kinds.includes("code") && hasOpenMarks(newText, base) ? { problem } : {})
  }
}
