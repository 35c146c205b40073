/**
 * The embedded model's answer to the execution prompt: the lines that tools and references hold on the words of the
 * task, quoted with file and line. It adds nothing of its own.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { pathOfHref } from "../../../domain/files/FileHref.ts"
import { fencedBlocks } from "../../../domain/markdown/Outline.ts"
import { fenced } from "../../../domain/markdown/PromptBlock.ts"
import { Arguments } from "../../../domain/tools/ToolCall.ts"
import { readClues } from "./Clues.ts"
import {
  codeSpan,
  type FoundLine,
  foundList,
  linkTo,
  rankLines,
  readFoundList,
  readLinesOf,
  readMatches,
  relevance
} from "./FoundLines.ts"
import { blocksIn, type PromptBlock, taskIn } from "./PromptText.ts"

/** What one output or reference gives: lines with a place, and things to say that have none. */
export interface Yield {
  readonly lines: ReadonlyArray<FoundLine>
  readonly notes: ReadonlyArray<string>
}

const Call = Schema.fromJsonString(Schema.Struct({ name: Schema.String, arguments: Arguments }))
export type Call = typeof Call.Type
const decodeCall = Schema.decodeUnknownOption(Call)
const decodePaths = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.String)))

const argument = (call: Call, ...names: ReadonlyArray<string>): string => {
  const value = names.map((name) => call.arguments[name]).find((one) => typeof one === "string")
  return typeof value === "string" ? value : ""
}

const writes = (call: Call): boolean => "path" in call.arguments && "content" in call.arguments

const firstLines = (text: string, count: number): string =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(0, count)
    .join("\n")

/** The lines on the words; the first ones when no line holds any of them. */
const chooseLines = (lines: ReadonlyArray<FoundLine>, terms: ReadonlyArray<string>): ReadonlyArray<FoundLine> => {
  const telling = lines.filter((line) => relevance(line.text, terms) > 0)
  return telling.length > 0 ? telling : lines.slice(0, 5)
}

const choosePaths = (paths: ReadonlyArray<string>, terms: ReadonlyArray<string>): ReadonlyArray<string> => {
  const telling = paths.filter((path) => relevance(path, terms) > 0)
  const shown = (telling.length > 0 ? telling : paths).slice(0, 20)
  if (shown.length === 0) return ["The project has no files."]
  return [`The project has ${paths.length} files:`, ...shown.map((path) => `- ${linkTo(path)}`)]
}

/** What a search says when it found more than it shows. */
const cutNote = /(?<=^\()Only the first \d+ lines are shown\./gm

const note = (text: string): Yield => ({ lines: [], notes: [`- ${text}`] })

/** `ERROR ...` is a failure, `path:line: text` a search, an array of paths a tree; only reading gives the text of a file. */
export const readOutput = (call: Call, output: string, terms: ReadonlyArray<string>): Yield => {
  const tool = `\`${call.name}\``
  const path = argument(call, "path", "file")
  const sought = argument(call, "pattern", "query")
  if (output.startsWith("ERROR")) {
    return note(`${tool}${path === "" ? "" : ` on ${linkTo(path)}`} failed: ${codeSpan(firstLines(output, 1))}`)
  }
  if (writes(call)) return note(`${tool} wrote ${linkTo(path)}.`)
  const paths = decodePaths(output)
  if (Option.isSome(paths)) return { lines: [], notes: choosePaths(paths.value, terms) }
  const matches = readMatches(output)
  if (matches.length > 0)
    return { lines: matches, notes: output.match(cutNote)?.map((cut) => `- ${tool}: ${cut}`) ?? [] }
  if (sought !== "" && /^(?:no\b|\s*$)/i.test(output)) return note(`Nothing was found for ${codeSpan(sought)}.`)
  if (path !== "" && call.name.startsWith("read")) {
    const start = call.arguments["start_line"]
    return { lines: chooseLines(readLinesOf(path, output, typeof start === "number" ? start : 1), terms), notes: [] }
  }
  return note(`${tool} gave:\n\n${fenced(firstLines(output, 20), "text")}`)
}

/** A result lists its lines; a file is read like an output; of other text the first lines are quoted. */
const readReference = ({ href, text, title }: PromptBlock, terms: ReadonlyArray<string>): Yield => {
  const listed = readFoundList(text)
  const notes = text.split("\n").filter((line) => /^- (?!\[.*#L\d)/.test(line))
  if (listed.length > 0 || href.startsWith("#")) {
    const quoted = listed.length > 0 || notes.length > 0 || text === "" ? [] : [fenced(firstLines(text, 10), "text")]
    return { lines: listed, notes: [...notes, ...quoted] }
  }
  const body = fencedBlocks(text)[0]?.text ?? text
  const [target = href, fragment = ""] = href.split("#")
  const path = pathOfHref(target)
  if (/^https?:/.test(href)) return { lines: [], notes: [`- ${title}:\n\n${fenced(firstLines(body, 20), "text")}`] }
  const first = /^L(\d+)/.exec(fragment)?.[1]
  return { lines: chooseLines(readLinesOf(path, body, Number(first ?? 1)), terms), notes: [] }
}

interface AnsweredCall {
  readonly call: Call
  readonly output: string
}

/** Every call with the output that has its uid. */
const callsIn = (blocks: ReadonlyArray<PromptBlock>): ReadonlyArray<AnsweredCall> =>
  blocks.flatMap((block) => {
    const call = block.kind === "call" ? decodeCall(fencedBlocks(block.text)[0]?.text) : Option.none<Call>()
    const output = blocks.find((other) => other.kind === "output" && other.uid === block.uid)
    const text = fencedBlocks(output?.text ?? block.text).at(-1)?.text ?? ""
    return Option.isSome(call) ? [{ call: call.value, output: text }] : []
  })

/** Answers the execution prompt with a result document. */
export const executionAnswer = (user: string): string => {
  const blocks = blocksIn(user)
  const { terms } = readClues(taskIn(blocks).field("What is needed"))
  const calls = callsIn(blocks)
  // What a file was written from is not a result of the writing.
  const references = calls.some(({ call }) => writes(call)) ? [] : blocks.filter(({ kind }) => kind === "reference")
  const yields = [
    ...calls.map(({ call, output }) => readOutput(call, output, terms)),
    ...references.map((reference) => readReference(reference, terms))
  ]
  const lines = rankLines(
    yields.flatMap((one) => one.lines),
    terms
  )
  const notes = [...new Set(yields.map((one) => one.notes.join("\n")))]
  const parts = [foundList(lines), ...notes].filter((part) => part !== "")
  return `## Result summary\n\n${parts.length === 0 ? "- Nothing was found." : parts.join("\n\n")}`
}
