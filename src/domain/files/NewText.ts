/**
 * Judges the new text of a file, or of a part of it, before it is written. It must not lose anything without a word: a line such as
 * `// ... rest stays the same` stands for text that would go, and a part of a file may be written as if it were all. And it must
 * not hold what only its being written as an answer explains: marks of blocks, fences, line numbers, blanks at the ends of lines,
 * other line ends, invisible characters. What the file holds already is meant, and so is what its kind allows.
 */
import type { IssueCode } from "../findings/Issue.ts"
import { withoutInvisible, withPlainCode, withPlainSigns } from "../text/PlainSigns.ts"
import { looseMark, readFence } from "./ChangeMarks.ts"
import { findText, lineAt, spellings, withoutNumbers } from "./EditPlaces.ts"
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

/** True for a line in brackets, or with dots on both sides, or that speaks of code: no text of its own looks like it. */
const isOmission = (said: string, text: string, words: string): boolean =>
  (/^[[(<]/.test(said) && kept.test(words)) || (dotsFirst.test(text) && dotsLast.test(text)) || names.test(words)

/** True for a line that stands for text which is not written out. A spread such as `...rest` is none. */
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

/** True for a line whose words the request holds, in a sentence that asks for them. */
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

/** A file with fewer lines is not cut to a part of it unseen. */
const leastLines = 12

/** A new text with more of the lines is no part of the file. */
const mostKept = 0.6

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** Words with which an answer says that something goes. */
const removal =
  /\b(?:remov|delet|drop|strip|prun|trim|shorten|simplif|clean|reduc|discard|obsolete|get rid|cut (?:out|down))/i

/** True for an answer that says in its own words that text goes. */
export const saysRemoval = (words: string): boolean => removal.test(words)

export interface Loss {
  readonly code: Extract<IssueCode, "change-elided" | "change-open">
  readonly what: string
  readonly how: string
}

const how = "Send blocks with the old and the new lines of each place instead."

/** How many lines a text has that is a part of the file; nothing for a text of its own. */
const partOf = (base: string, text: string): { readonly before: number; readonly after: number } | undefined => {
  const before = linesOf(base)
  const after = linesOf(text)
  const known = new Set(before)
  const own = after.filter((line) => known.has(line)).length
  const isPart = after.length <= before.length * mostKept && own * 2 >= after.length
  return before.length < leastLines || !isPart ? undefined : { before: before.length, after: after.length }
}

/** Why a person is to see what a new text loses of a file, as a sentence; `isWhole` is false for edits, which name what goes. */
export const lossSentence = ({ newText, oldText, path }: ReplacedText, isWhole: boolean): string | undefined => {
  const elided = elisionIn({ newText, oldText, path })
  if (elided !== undefined) return `The line \`${elided.trim()}\` stands for others, which would be lost.`
  const part = isWhole ? partOf(oldText, newText) : undefined
  return part === undefined ? undefined : `Of ${part.before} lines with text, ${part.after} would be left.`
}

/** What a new text loses of a file. `saysSo` is true when the answer says that something goes. */
export const lossOf = (replaced: ReplacedText, saysSo: boolean): Loss | undefined => {
  const { newText, oldText, path } = replaced
  const elided = elisionIn(replaced)
  if (elided !== undefined) {
    const what = `The line \`${elided.trim()}\` in the text for ${path} stands for others, which would be lost.`
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
  /** The text of the file; null for a new one. */
  readonly base: string | null
  /** What is replaced; absent for a whole file. */
  readonly oldText?: string
  readonly newText: string
}

/** What the file gets, what was left out, and why it cannot be told what is meant. */
type Tidied = Pick<Written, "newText"> & { readonly removedParts: ReadonlyArray<string>; readonly problem?: string }

const prose: ReadonlySet<string> = new Set(["markdown", "mdx", "rst", "text", "latex", "diff", ""])
/** Text stands in these without quotes, and lines may begin with a number. */
const mixed: ReadonlySet<string> = new Set(["html", "xml", "vue", "svelte", "tsx", "jsx", "yaml", "ini", "csv"])

const endBlanks = /(?<![ \t])[ \t]+(?=\r?$)/gm
const bareMark = /^\s*(?:<{7}|={7}|>{7})\s*$/
const isMark = (line: string): boolean => looseMark.test(line) || bareMark.test(line)

/** Removes lines at the beginning and the end as long as they are of a kind. */
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

/** True for a line of equals signs below a title of its length, as comments that document code have them. */
const isUnderline = (lines: ReadonlyArray<string>, at: number): boolean =>
  /^\s*={7}\s*$/.test(lines[at] ?? "") && title.test(lines[at - 1] ?? "")

/** Pairs of marks may be what the file is about. */
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

/** The new text without line numbers, when they are those of its place, or those of a whole file. */
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

/** The line ends of the file; new code has those of one kind. An edit gets those of its place when it is made. */
const withOwnLineEnds = ({ base, newText, oldText, path }: Written): string => {
  if (oldText !== undefined) return newText
  const isMeant = base === null && (prose.has(languageOf(path)) || !/(?<!\r)\n/.test(newText))
  const [spell] = spellings(base ?? newText.replaceAll("\r\n", "\n"))
  return isMeant ? newText : spell(newText)
}

/** A step for any file, for code, or for code without text of its own; the words say what it leaves out. */
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

/** What may be any of this; only with the file can it be told. */
export const mayBeUntidy = /[^\p{ASCII}]|[ \t\r]$|^[ \t]*(?:[<=>`~]{3}|\S*\d)/mu

/** Leaves out of a new text what only its being written as an answer explains. */
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
    removedParts: removedParts,
    ...(kinds.includes("code") && hasOpenMarks(newText, base) ? { problem } : {})
  }
}
