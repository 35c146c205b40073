/** Converts tool results to markdown: quoted lines of files with links, and notes for all other output. */
import { fileLink } from "../../../domain/files/FileHref.ts"
import { codeSpan, fenced } from "../../../domain/markdown/PromptBlock.ts"
import { outcomeText } from "../../../domain/models/OutputText.ts"
import { firstLines } from "../../../domain/text/Excerpt.ts"
import { readNumbered } from "../../../domain/text/NumberedLines.ts"
import type { CallOutcome } from "../../../domain/tools/ToolCall.ts"

interface QuotedLine {
  readonly path: string
  readonly number: number
  readonly text: string
}

/** A note is shown unchanged. */
export type QuotePiece = QuotedLine | string

/**
 * The maximum numbers of quoted lines. `report` is for the whole report, and `file` for a file in which no line
 * matches. `output` is for any other output.
 */
const mostLines = { report: 12, file: 5, output: 20 }

const declaration =
  /^(?:\w+ )*?(?:function|class|interface|type|const|enum|struct|trait|impl|def|fn|func|module)\b\W*(\w+)/

const countTerms = (text: string, terms: ReadonlyArray<string>): number =>
  terms.filter((term) => text.toLowerCase().includes(term.toLowerCase())).length

/** The number of searched words in a line. Higher if the line declares such a word, or if its path contains one. */
const relevance = ({ path, text }: QuotedLine, terms: ReadonlyArray<string>): number =>
  countTerms(text, terms) +
  Math.min(1, countTerms(declaration.exec(text)?.[1] ?? "", terms)) / 2 +
  Math.min(1, countTerms(path, terms)) / 4

const cut = (text: string): string => codeSpan(text.length > 160 ? `${text.slice(0, 160)} ...` : text)

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** The most relevant lines without duplicates, then the notes. */
export const quotedText = (pieces: ReadonlyArray<QuotePiece>, terms: ReadonlyArray<string>): string => {
  const notes = new Set(pieces.filter((piece) => typeof piece === "string"))
  const lines = pieces.filter((piece) => typeof piece !== "string" && piece.text !== "") as ReadonlyArray<QuotedLine>
  const unique = [...new Map(lines.map((line) => [`${line.path}:${line.number}`, line])).values()]
  const ranked = unique.toSorted((a, b) => relevance(b, terms) - relevance(a, terms))
  const files = new Set(ranked.map(({ path }) => path)).size
  const nearest = ranked.length > mostLines.report ? `, the ${mostLines.report} nearest to the task` : ""
  const head = `Found ${counted(ranked.length, "line")} in ${counted(files, "file")}${nearest}:`
  const rows = ranked
    .slice(0, mostLines.report)
    .map(({ number, path, text }) => `- ${fileLink(path, number)} ${cut(text)}`)
  return (
    [...(rows.length === 0 ? [] : [`${head}\n\n${rows.join("\n")}`]), ...notes].join("\n\n") || "- Nothing was found."
  )
}

/** Parses search output of the form `path:line: text`. */
const searchLines = (output: string): ReadonlyArray<QuotedLine> =>
  [...output.matchAll(/^([^\s:][^:\n]*):(\d+): (.*)$/gm)].map(([, path = "", number, text = ""]) => ({
    path,
    number: Number(number),
    text: text.trim()
  }))

/** The lines of a file that contain a searched word. If there are none, its first lines. */
const fileLines = (path: string, output: string, terms: ReadonlyArray<string>): ReadonlyArray<QuotedLine> => {
  const lines = output.split("\n").flatMap((line) => {
    const { number, text = "" } = readNumbered(line) ?? {}
    return number === undefined || text.trim() === "" ? [] : [{ path, number, text: text.trim() }]
  })
  const relevant = lines.filter(({ text }) => countTerms(text, terms) > 0)
  return relevant.length > 0 ? relevant : lines.slice(0, mostLines.file)
}

/** Quotes from the result of a call: for a search or a read, lines of files; otherwise, the beginning of the output. */
export const outcomeQuotes = (outcome: CallOutcome, terms: ReadonlyArray<string>): ReadonlyArray<QuotePiece> => {
  const { call, result } = outcome
  const { path, pattern } = call.arguments
  const output = outcomeText(outcome)
  const [first = ""] = output.split("\n")
  const link = typeof path === "string" ? ` on ${fileLink(path)}` : ""
  if (!result.success) return [`- \`${call.name}\`${link} failed: ${cut(first)}`]
  if (typeof pattern === "string") {
    const lines = searchLines(output)
    const total = /^(?:At least )?\d+ match[^\n]*(?=\. Shown by file: )/.exec(output)?.[0]
    if (lines.length === 0) return [`- Nothing was found for ${cut(pattern)}.`]
    return total === undefined ? lines : [...lines, `- \`${call.name}\`: ${total}; not all are shown.`]
  }
  const lines = typeof path === "string" ? fileLines(path, output, terms) : []
  if (lines.length > 0) return lines
  return [`- \`${call.name}\`${link} gave:\n\n${fenced(firstLines(output, mostLines.output).text.trim(), "text")}`]
}
