/**
 * What tools and references hold, as pieces of markdown: a row quotes one line of a file with a link to it, every other
 * piece is a note. Results of tasks are written with them and read again; no answer says anything else.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { fileLink, pathOfHref } from "../../../domain/files/FileHref.ts"
import { codeSpan, fenced } from "../../../domain/markdown/PromptBlock.ts"
import { readNumbered } from "../../../domain/text/NumberedLines.ts"
import type { PathClue } from "./Clues.ts"
import { firstLines } from "../../../domain/text/Excerpt.ts"
import { fencedBlocks } from "../../../domain/markdown/Outline.ts"
import { ToolCall } from "../../../domain/tools/ToolCall.ts"
import type { PromptBlock, referencesIn } from "./PromptReading.ts"

/** The last words of every answer to a person. */
export const disclosure =
  "*The built-in demo wrote this. It is not a language model: it quotes what the tools found and concludes nothing. Choose a model with `--model` for an answer that does.*"

/** A string as code, cut to a readable width. */
const quote = (text: string): string => codeSpan(text.length > 160 ? `${text.slice(0, 160)} ...` : text)

/** The row of a line; none for a blank one. */
const rowOf = (path: string, line: number, text: string): ReadonlyArray<string> =>
  text.trim() === "" ? [] : [`- ${fileLink(path, line)} ${quote(text.trim())}`]

const row = /^- (\[.*?\]\(<?(.+?)#L(\d+)>?\)) (`.*`)$/
const declaration =
  /^`+ ?(?:\w+ )*?(?:function|class|interface|type|const|enum|struct|trait|impl|def|fn|func|module)\b\W*(\w+)/

/** The files that rows point to, each with the first line that is named. */
export const pathsOf = (pieces: ReadonlyArray<string>): ReadonlyArray<PathClue> => {
  const places = pieces.flatMap((piece): ReadonlyArray<PathClue> => {
    const [, , href, line] = row.exec(piece) ?? []
    return href === undefined ? [] : [{ path: pathOfHref(href), line: Number(line) }]
  })
  return places.filter(({ path }, index) => places.findIndex((other) => other.path === path) === index)
}

/** How many of the words the line holds; more when it declares one, or when the file is named after one. */
const relevance = (piece: string, terms: ReadonlyArray<string>): number => {
  const [, , href = "", , quoted = ""] = row.exec(piece) ?? []
  const hits = (text = "") => terms.filter((term) => text.toLowerCase().includes(term.toLowerCase())).length
  return hits(quoted) + Math.min(1, hits(declaration.exec(quoted)?.[1])) / 2 + Math.min(1, hits(href)) / 4
}

/** The lines of a file that hold a word; the first ones when none does. */
const fileRows = (path: string, text: string, first: number, terms: ReadonlyArray<string>) => {
  const rows = text.split("\n").flatMap((line, index) => {
    const { number, text: shown } = readNumbered(line) ?? { number: first + index, text: line }
    return rowOf(path, number, shown)
  })
  const relevant = rows.filter((one) => relevance(one, terms) >= 1)
  return relevant.length > 0 ? relevant : rows.slice(0, 5)
}

/** The rows among the pieces: each place once, those that say most about the words first. */
export const ranked = (pieces: ReadonlyArray<string>, terms: ReadonlyArray<string>): ReadonlyArray<string> => {
  const places = new Map(pieces.filter((piece) => row.test(piece)).map((piece) => [row.exec(piece)?.[1], piece]))
  return [...places.values()].toSorted((a, b) => relevance(b, terms) - relevance(a, terms))
}

const counted = (count: number, noun: string): string => `${count || "no"} ${noun}${count === 1 ? "" : "s"}`

/** The twelve rows nearest to the words, then the notes, each once. */
export const foundText = (pieces: ReadonlyArray<string>, terms: ReadonlyArray<string>): string => {
  const rows = ranked(pieces, terms)
  const nearest = rows.length > 12 ? ", the 12 nearest to the task" : ""
  const head = `Found ${counted(rows.length, "line")} in ${counted(pathsOf(rows).length, "file")}${nearest}:`
  const list = rows.length === 0 ? [] : [`${head}\n\n${rows.slice(0, 12).join("\n")}`]
  return [...list, ...new Set(pieces.filter((piece) => !row.test(piece)))].join("\n\n") || "- Nothing was found."
}

/** Reads what `foundText` wrote, wherever it stands in a string. */
export const readFound = (text: string): ReadonlyArray<string> => {
  const lines = text.split(/[ \t]*\n/).filter((line) => !/^Found \d+ lines? in \d+ files?.*:$/.test(line))
  const rest = lines.filter((line) => !row.test(line)).join("\n")
  const notes = rest.split(/\n{2,}(?!`{3})/).map((note) => note.trim())
  return [...lines.filter((line) => row.test(line)), ...notes.filter((note) => /^[^#]/.test(note))]
}

/** A call with the data of its result, or with `ERROR ...`. */
export interface Outcome {
  readonly call: ToolCall
  readonly output: string
}

const decodeCall = Schema.decodeUnknownOption(Schema.fromJsonString(ToolCall))
const decodePaths = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.String)))

export const outcomesIn = (blocks: ReadonlyArray<PromptBlock>): ReadonlyArray<Outcome> =>
  blocks.flatMap(({ text, title }) => {
    const [, result, path] = /^(Not changed|Changed): (.+)$/.exec(title) ?? []
    if (path !== undefined) {
      const change = { uid: path, name: "write_file", arguments: { path, content: "" } }
      return [{ call: change, output: result === "Changed" ? "" : text }]
    }
    const [call, output] = title.startsWith("Tool call ") ? fencedBlocks(text) : []
    return Option.toArray(decodeCall(call?.text)).map((one) => ({ call: one, output: output?.text ?? "" }))
  })

export const isWriting = ({ call }: Outcome): boolean => "path" in call.arguments && "content" in call.arguments

const beginning = (text: string): string => fenced(firstLines(text.replace(/\n\s*\n/g, "\n"), 20).text.trim(), "text")

const treeNote = (paths: ReadonlyArray<string>): string => {
  const links = paths.slice(0, 20).map((path) => `\n- ${fileLink(path)}`)
  return `The project has ${counted(paths.length, "file")}${links.length === 0 ? "." : ":"}${links.join("")}`
}

/** The lines `path:line: text` of a search as rows. */
export const matchRows = (output: string): ReadonlyArray<string> =>
  [...output.matchAll(/^([^\s:][^:\n]*):(\d+): (.*)$/gm)].flatMap(([, path = "", line, text = ""]) =>
    rowOf(path, Number(line), text)
  )

/** True for a tool that lists files; other arrays of strings are no paths. */
const listsFiles = ({ name }: ToolCall): boolean => /tree|files?|paths?/.test(name)

/** `ERROR ...` is a failure, `path:line: text` a search, an array of paths a tree; only reading gives the text of a file. */
export const readOutcome = (outcome: Outcome, terms: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { call, output } = outcome
  const { file, path = file, pattern, query = pattern, start_line: start = 1 } = call.arguments
  const tool = `\`${call.name}\``
  const link = typeof path === "string" ? fileLink(path) : ""
  const [first = ""] = output.split("\n")
  if (first.startsWith("ERROR")) return [`- ${tool}${link === "" ? "" : ` on ${link}`} failed: ${quote(first)}`]
  if (isWriting(outcome)) return [`- ${tool} wrote ${link}.`]
  const paths = decodePaths(output)
  if (Option.isSome(paths) && listsFiles(call)) return [treeNote(paths.value)]
  const rows = matchRows(output)
  const cut = output.match(/^(?:At least )?\d+ match[^\n]*(?=\. Shown by file: )/) ?? []
  if (rows.length > 0) return [...rows, ...cut.map((note) => `- ${tool}: ${note}; not all are shown.`)]
  if (typeof query === "string" && /^(?:no\b|$)/i.test(first)) return [`- Nothing was found for ${quote(query)}.`]
  if (typeof path === "string" && call.name.startsWith("read")) return fileRows(path, output, Number(start), terms)
  return [`- ${tool} gave:\n\n${beginning(output)}`]
}

type Reference = ReturnType<typeof referencesIn>[number]

/** A result is what was found before; a file is read like an output; of other text the first lines are quoted. */
export const readReference = (
  { href, text, title }: Reference,
  terms: ReadonlyArray<string>
): ReadonlyArray<string> => {
  if (/^#.*-results$/.test(href)) return readFound(text)
  const [, path = "", first = 1] = /^(?!https?:)([^#]*)(?:#L(\d+))?/.exec(href) ?? []
  return path === "" ? [`- ${title}:\n\n${beginning(text)}`] : fileRows(pathOfHref(path), text, Number(first), terms)
}
