/**
 * Lines that tools found, with their place: read from the output of a search, from the text of a file, or from a result
 * that lists them; chosen by the words of a task; written as links. All that the embedded model knows is made of these.
 */
import { compareCodePoints } from "../../../domain/text/CodePointOrder.ts"
import { hrefOfPath, pathOfHref } from "../../../domain/files/FileHref.ts"
import { printable } from "../../../domain/text/Printable.ts"

/** One line of a file, 1-based. */
export interface FoundLine {
  readonly path: string
  readonly line: number
  readonly text: string
}

/** The most lines that one answer quotes. */
const maxQuoted = 12
/** The most characters that are quoted of one line. */
const maxWidth = 160

/** A link destination; angle brackets hold what would end a bare one. */
const destination = (target: string): string => (/[\s()]/.test(target) ? `<${target}>` : target)

/** A path as the text of a link: brackets without their other half would end it. */
const label = (path: string): string => {
  const text = printable(path)
  const isBalanced = text.replace(/\[[^[\]]*\]/g, "").search(/[[\]]/) === -1
  return isBalanced ? text : text.replace(/[[\]]/g, "\\$&")
}

/** A link to a file, or to one of its lines. */
export const linkTo = (path: string, line?: number): string =>
  `[${label(path)}](${destination(`${hrefOfPath(path)}${line === undefined ? "" : `#L${line}`}`)})`

/** A code span that holds any text, cut to a readable width. */
export const codeSpan = (text: string): string => {
  const shown = text.length > maxWidth ? `${text.slice(0, maxWidth)} ...` : text
  const longest = (shown.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 0)
  const fence = "`".repeat(longest + 1)
  const pad = shown.startsWith("`") || shown.endsWith("`") ? " " : ""
  return `${fence}${pad}${shown}${pad}${fence}`
}

/** `2026-11-20T12` is the beginning of a time, not a file. */
const isTime = (path: string): boolean => /^\d{4}-\d\d-\d\dT\d\d$/.test(path)

/** Reads the lines `path:line: text` of a search. */
export const readMatches = (output: string): ReadonlyArray<FoundLine> =>
  output.split("\n").flatMap((row) => {
    const match = /^([^\s:][^:]*):(\d+):(.*)$/.exec(row)
    const text = match?.[3]?.trim() ?? ""
    return match === null || text === "" || isTime(match[1] ?? "")
      ? []
      : [{ path: match[1] ?? "", line: Number(match[2]), text }]
  })

/** Numbers the lines of a file; `first` is the number of the first line of the text. */
export const readLinesOf = (path: string, text: string, first: number): ReadonlyArray<FoundLine> =>
  text
    .split("\n")
    .map((row, index) => ({ path, line: first + index, text: row.trim() }))
    .filter((found) => found.text !== "")

/** Reads the list that `foundList` writes, wherever it stands in a text. */
export const readFoundList = (text: string): ReadonlyArray<FoundLine> =>
  [...text.matchAll(/^- \[.*?\]\(<?([^\n]+?)#L(\d+)>?\) (`+)( ?)(.+?)\4\3[ \t]*$/gm)].map((match) => ({
    path: pathOfHref(match[1] ?? ""),
    line: Number(match[2]),
    text: match[5] ?? ""
  }))

const isDeclaration = /\b(?:function|class|interface|type|const|enum|struct|trait|impl|def|fn|func|module|export)\b/

/** How many of the words stand in a line; a declaration counts more than a use. */
export const relevance = (text: string, terms: ReadonlyArray<string>): number => {
  const lower = text.toLowerCase()
  const hits = terms.filter((term) => lower.includes(term.toLowerCase())).length
  return hits * 2 + (hits > 0 && isDeclaration.test(text) ? 1 : 0)
}

/** Each place once, those that say most about the words first, then in the order of files and lines. */
export const rankLines = (lines: ReadonlyArray<FoundLine>, terms: ReadonlyArray<string>): ReadonlyArray<FoundLine> => {
  const places = new Map(lines.map((line) => [`${line.path}#L${line.line}`, line]))
  return [...places.values()]
    .map((line) => ({ line, score: relevance(line.text, terms) }))
    .sort((a, b) => b.score - a.score || compareCodePoints(a.line.path, b.line.path) || a.line.line - b.line.line)
    .map(({ line }) => line)
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** `Found 3 lines in 2 files:` and the lines as links; says when there are more than it shows. Nothing for no line. */
export const foundList = (ranked: ReadonlyArray<FoundLine>): string => {
  if (ranked.length === 0) return ""
  const files = new Set(ranked.map((line) => line.path)).size
  const more = ranked.length > maxQuoted ? `, the ${maxQuoted} nearest to the task` : ""
  const rows = ranked.slice(0, maxQuoted).map((line) => `- ${linkTo(line.path, line.line)} ${codeSpan(line.text)}`)
  return `Found ${counted(ranked.length, "line")} in ${counted(files, "file")}${more}:\n\n${rows.join("\n")}`
}
