/**
 * Reads outputs of tools and contents of references into what is quoted of them: the lines that hold the words of the
 * task. Nothing is added to them.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { firstLines } from "../../../domain/text/Excerpt.ts"
import { fileLink, pathOfHref } from "../../../domain/files/FileHref.ts"
import { fencedBlocks } from "../../../domain/markdown/Outline.ts"
import { fenced } from "../../../domain/markdown/PromptBlock.ts"
import { ToolCall } from "../../../domain/tools/ToolCall.ts"
import type { PromptBlock, referencesIn } from "./PromptReading.ts"
import { counted, fileRows, quote, readFound, rowOf } from "./Quotes.ts"

/** A call with the data of its result, or with `ERROR ...`. */
export interface Outcome {
  readonly call: ToolCall
  readonly output: string
}

const decodeCall = Schema.decodeUnknownOption(Schema.fromJsonString(ToolCall))
const decodePaths = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.String)))

export const outcomesIn = (blocks: ReadonlyArray<PromptBlock>): ReadonlyArray<Outcome> =>
  blocks.flatMap(({ text, title }) => {
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
  [...output.matchAll(/^([^\s:][^:]*):(\d+): (.*)$/gm)].flatMap(([, path = "", line, text = ""]) =>
    rowOf(path, Number(line), text)
  )

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
  if (Option.isSome(paths)) return [treeNote(paths.value)]
  const rows = matchRows(output)
  const cut = output.match(/(?<=^\()Only the first \d+ lines are shown\./m) ?? []
  if (rows.length > 0) return [...rows, ...cut.map((note) => `- ${tool}: ${note}`)]
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
