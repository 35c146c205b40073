/**
 * The output of a call as a model reads it: text instead of JSON, without what only the program needs, and cut where it
 * does not fit, with a note that names the lines to ask for.
 */
import type * as Schema from "effect/Schema"
import * as Predicate from "effect/Predicate"
import { cutAt } from "../text/Excerpt.ts"
import { readNumbered } from "../text/NumberedLines.ts"
import { type CallOutcome, dataText, type ToolResult } from "../tools/ToolCall.ts"

type Fields = { readonly [name: string]: Schema.Json }

const isFields = (data: Schema.Json): data is Fields => Predicate.isObject(data) && !Array.isArray(data)

const isScalar = (value: Schema.Json): boolean => value === null || typeof value !== "object"

const isLong = (value: Schema.Json): value is string => typeof value === "string" && value.includes("\n")

/** `name: value` lines, then the texts; a single text needs no name. Anything nested stays JSON. */
const fieldsText = (fields: Fields): string => {
  const entries = Object.entries(fields)
  const texts = entries.filter(([, value]) => isLong(value))
  if (texts.length === 0 || !entries.every(([, value]) => isScalar(value))) return dataText(fields)
  const short = entries.filter(([, value]) => !isLong(value)).map(([name, value]) => `${name}: ${String(value)}`)
  const long = texts.map(([name, value]) => (texts.length === 1 ? String(value) : `${name}:\n${String(value)}`))
  return [...(short.length === 0 ? [] : [short.join("\n")]), ...long].join("\n\n")
}

/** What a tool returned as text, or what went wrong. */
export const resultText = (result: ToolResult): string => {
  if (!result.success) return `ERROR (${result.error_type}): ${result.error_message ?? ""}`
  return result.data !== null && isFields(result.data) ? fieldsText(result.data) : dataText(result.data)
}

/** The text that stands for an outcome: its data, or what went wrong. */
export const outcomeText = ({ result }: CallOutcome): string => resultText(result)

/** A diff in the output, if there is one: it shows what the arguments of the call say. */
export const diffOf = ({ data }: ToolResult): string | undefined => {
  const diff = data !== null && isFields(data) ? data["diff"] : undefined
  return typeof diff === "string" && diff.startsWith("---") ? diff : undefined
}

/** The part of an output that is left out, between what is shown. */
interface Cut {
  readonly text: string
  readonly kept: ReadonlyArray<string>
  readonly left: ReadonlyArray<string>
}

const isPage = ({ call, result }: CallOutcome): boolean =>
  call.name === "fetch_url" && result.data !== null && isFields(result.data) && typeof result.data["text"] === "string"

/** Where a page is to be read on. Its fields before the text are not part of it. */
const pageNote = ({ result }: CallOutcome, { kept, text }: Cut): string => {
  const data = result.data !== null && isFields(result.data) ? result.data : {}
  const start = Number(/\(Characters (\d+) to \d+ of \d+\. [^\n]*\)$/.exec(text)?.[1] ?? 0)
  const head = Math.max(0, text.lastIndexOf(String(data["text"])))
  return `(The rest of the page is left out; read on with start ${start + Math.max(0, kept.join("\n").length - head)}.)`
}

/** Which lines of a file are left out, by the numbers that stand before them. */
const fileNote = ({ left }: Cut): string => {
  const numbers = left.flatMap((line) => readNumbered(line)?.number ?? [])
  const [from = 1] = numbers
  const to = numbers.at(-1) ?? from
  const total = /^\(Lines \d+ to \d+ of (\d+)\./.exec(left.at(-1) ?? "")?.[1]
  const which = from === to ? `Line ${from}` : `Lines ${from} to ${to}`
  const verb = from === to ? "is" : "are"
  return `(${which}${total === undefined ? "" : ` of ${total}`} ${verb} left out; read on with start_line ${from}.)`
}

const plainNote = ({ kept, left }: Cut): string => {
  const [from, to] = [kept.length + 1, kept.length + left.length]
  const which = from === to ? `Line ${from} of this output is` : `Lines ${from} to ${to} of this output are`
  return `(${which} left out. A narrower call shows them.)`
}

/** How many of the lines fit, with a line end each. */
const fitting = (lines: ReadonlyArray<string>, budget: number): number => {
  let length = 0
  const over = lines.findIndex((line) => (length += line.length + 1) > budget)
  return over < 0 ? lines.length : over
}

/** The beginning of a line that is too long. */
const longLine = (line: string, budget: number): ReadonlyArray<string> => {
  const shown = cutAt(line, budget - 70)
  return shown.length < 40 ? [] : [shown, `(The first ${shown.length} of ${line.length} characters of this line.)`]
}

/**
 * The output in at most `limit` characters, with a note on the lines that are left out: of a file or a page, which can be
 * read on, the last ones, of anything else those between beginning and end. Where not even the note fits, it is all
 * that is shown.
 */
export const cutOutput = (outcome: CallOutcome, limit: number): string => {
  const text = outcomeText(outcome)
  if (text.length <= limit) return text
  const lines = text.split("\n")
  const isFile = readNumbered(lines[0] ?? "") !== undefined
  const noteOf = (cut: Cut): string =>
    isFile ? fileNote(cut) : isPage(outcome) ? pageNote(outcome, cut) : plainNote(cut)
  const none = noteOf({ text, kept: [], left: lines })
  const budget = limit - none.length - 24
  const hasEnd = !isFile && !isPage(outcome)
  const end = hasEnd ? fitting(lines.toReversed(), Math.floor(budget / 4)) : 0
  const endBudget = lines.slice(lines.length - end).reduce((sum, line) => sum + line.length + 1, 0)
  const count = Math.min(fitting(lines, budget - endBudget), lines.length - end)
  const first = count > 0 ? lines.slice(0, count) : longLine(lines[0] ?? "", budget - endBudget)
  if (first.length === 0) return none
  const kept = lines.slice(0, Math.max(1, count))
  const left = lines.slice(kept.length, lines.length - end)
  const note = left.length === 0 ? [] : [noteOf({ text, kept, left })]
  return [...first, ...note, ...lines.slice(lines.length - end)].join("\n")
}
