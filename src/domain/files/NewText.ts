/**
 * What stands in a new text because it was written as an answer, and not because the file is to have it: blanks at the ends of lines,
 * other line ends, invisible characters, signs that no code has, marks of blocks, fences and numbers of lines. What the file holds
 * already is meant, and so is what the kind of file allows.
 */
import { withoutInvisible, withPlainCode, withPlainSigns } from "../text/PlainSigns.ts"
import { looseMark, readFence } from "./ChangeMarks.ts"
import { languageOf } from "./Language.ts"
import { findText, lineAt, spellings, withoutNumbers } from "./TextMatch.ts"

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
type Tidied = Pick<Written, "newText"> & { readonly left: ReadonlyArray<string>; readonly problem?: string }

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

const withoutCopiedSigns = ({ newText, oldText = "" }: Written, base: string): string =>
  withPlainSigns(newText, (sign) => base.includes(sign) || !oldText.includes(sign))

const withSignsOfCode = ({ newText }: Written, base: string): string =>
  withPlainCode(newText, (sign) => base.includes(sign))

/** The new text without line numbers, when they are those of its place, or those of a whole file. */
const withoutOwnNumbers = ({ newText, oldText }: Written, base: string): string => {
  const found = withoutNumbers(newText)
  if (found === undefined) return newText
  const places = oldText === undefined ? [] : findText(base, { oldText, newText }, false)
  const isWhole = oldText === undefined && found.first === 1 && newText.trimEnd().includes("\n")
  return isWhole || places.some(({ from }) => lineAt(base, from) === found.first) ? found.text : newText
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
  ["any", "signs that the old text was given by mistake", withoutCopiedSigns],
  ["any", "other line ends", withOwnLineEnds],
  ["plain code", "numbers of lines", withoutOwnNumbers],
  ["plain code", "typographic or full-width signs outside of strings and comments", withSignsOfCode]
]

/** What may be any of this; only with the file can it be told. */
export const mayBeUntidy = /[^\p{ASCII}]|[ \t\r]$|^[ \t]*(?:[<=>`~]{3}|\S*\d)/mu

/** Leaves out of a new text what only its being written as an answer explains. */
export const tidyNewText = (written: Written): Tidied => {
  const language = languageOf(written.path)
  const kinds = prose.has(language) ? ["any"] : ["any", "code", ...(mixed.has(language) ? [] : ["plain code"])]
  const base = written.base ?? ""
  const left: Array<string> = []
  let { newText } = written
  for (const [kind, words, step] of steps) {
    const next = kinds.includes(kind) ? step({ ...written, newText }, base) : newText
    if (next !== newText) left.push(words)
    newText = next
  }
  const problem = "The new text holds marks that make no block."
  return { newText, left, ...(kinds.includes("code") && hasOpenMarks(newText, base) ? { problem } : {}) }
}
