/**
 * Measures how much a model has seen of the files and searches that it requested. It counts the requested lines that
 * occur in texts for the model, because tools and prompts cut large outputs.
 */
import { readNumbered } from "../text/NumberedLines.ts"
import { type CallOutcome, commandEnd, dataText, pathOf } from "../tools/ToolCall.ts"
import { percentOf } from "./Coverage.ts"

/** How much of a file or search the model has seen: in percent, and in lines or matches. */
export interface ReadCoverage {
  readonly href: string
  readonly percent: number
  /** The numbers of lines or matches. Absent if the length of the file is unknown. */
  readonly lines?: Seen
}

interface Seen {
  readonly seen: number
  readonly of: number
  /** The number of lines in the file. Absent if the calls requested all lines. */
  readonly file?: number
}

const everything: Seen = { seen: 0, of: 0 }

const percentSeen = ({ of, seen }: Seen): number => (of === 0 ? 100 : percentOf(seen / of))

/** The number of lines in the file, from the note below the shown lines. Undefined without such a note. */
const totalIn = (text: string): number | undefined => {
  const [, total] =
    /\n\n\((?:Lines? \d+(?: to \d+)?|The first \d+ of \d+ characters of line \d+) of (\d+)\./.exec(text) ?? []
  return total === undefined ? undefined : Number(total)
}

/** True if a text is incomplete, and its note does not say how many lines the file has. */
const isEndless = (text: string): boolean =>
  totalIn(text) === undefined && / Read on with start_line \d+\.\)$|read on with start_line/.test(text)

const lineOf = (given: unknown): number | undefined => (typeof given === "number" ? given : undefined)

/** How many of the requested lines of a file the model has seen. */
const seenOfFile = (path: string, reads: ReadonlyArray<CallOutcome>, rows: ReadonlySet<string>): Seen => {
  const askedLines = new Set<number>()
  const seen = new Set<number>()
  let file = 0
  for (const { call, result } of reads) {
    const text = dataText(result.data)
    if (isEndless(text) && lineOf(call.arguments["end_line"]) === undefined) return { seen: 0, of: Infinity }
    const numbered = text.split("\n").flatMap((row) => {
      const number = readNumbered(row)?.number
      return number === undefined ? [] : [{ number, row }]
    })
    const from = lineOf(call.arguments["start_line"]) ?? 1
    const last = totalIn(text) ?? numbered.at(-1)?.number ?? 0
    file = Math.max(file, last)
    const to = Math.min(lineOf(call.arguments["end_line"]) ?? last, last)
    for (let line = from; line <= to; line += 1) askedLines.add(line)
    for (const { number, row } of numbered) if (rows.has(row) || rows.has(`${path}:${row}`)) seen.add(number)
  }
  const lines = { seen: [...askedLines].filter((line) => seen.has(line)).length, of: askedLines.size }
  return file > askedLines.size ? { ...lines, file } : lines
}

/** The file that a command such as `cat` prints completely. */
const printedFile = ({ call }: CallOutcome): string | undefined => {
  const { argv } = call.arguments
  if (call.name !== "run_command" || !Array.isArray(argv)) return undefined
  const [program, path, ...more] = argv.map(String)
  return program === "cat" && path !== undefined && !path.startsWith("-") && more.length === 0 ? path : undefined
}

const matchRow = /^.+?:\d+:(?: |$)/

/**
 * How many matches of a search the model has seen. If the pattern is plain text, matching lines that other searches
 * showed also count.
 */
const seenOfSearch = ({ call, result }: CallOutcome, rows: ReadonlySet<string>): Seen => {
  const text = dataText(result.data)
  const [, total = ""] = /^(?:At least )?([\d,]+) match(?:es)? in /.exec(text) ?? []
  if (total === "") return everything
  const pattern = String(call.arguments["pattern"]).toLowerCase()
  const isPlain = call.arguments["regex"] !== true && !text.endsWith(" it was searched as a regular expression.)")
  const own = new Set(text.split("\n"))
  const shownRows = [...rows].filter(
    (row) => matchRow.test(row) && (isPlain ? row.replace(matchRow, "").toLowerCase().includes(pattern) : own.has(row))
  )
  const of = Number(total.replaceAll(",", ""))
  return { seen: Math.min(shownRows.length, of), of }
}

/**
 * The files and searches that the model has seen only in part. `texts` are all texts that the model received. Files
 * that `isOther` accepts are left out.
 */
export const readCoverage = (
  outcomes: ReadonlyArray<CallOutcome>,
  texts: Iterable<string>,
  isOther: (path: string) => boolean
): ReadonlyArray<ReadCoverage> => {
  const successes = outcomes.filter(({ result }) => result.success)
  const rows = new Set([...texts].flatMap((text) => text.split("\n")))
  const reads = Map.groupBy(
    successes.filter(({ call }) => call.name === "read_file" && !isOther(pathOf(call))),
    ({ call }) => pathOf(call)
  )
  const all = [
    ...[...reads].map(([path, calls]) => [path, seenOfFile(path, calls, rows)] as const),
    ...successes.flatMap((outcome) => {
      const path = printedFile(outcome)
      if (path === undefined || isOther(path) || reads.has(path)) return []
      const lines = (commandEnd(outcome.result)?.output ?? "").split("\n").filter((line) => line.trim() !== "")
      return [[path, { seen: lines.filter((line) => rows.has(line)).length, of: lines.length }] as const]
    }),
    ...successes.flatMap((one) =>
      one.call.name === "search_files"
        ? [[`matches of ${JSON.stringify(one.call.arguments["pattern"])}`, seenOfSearch(one, rows)] as const]
        : []
    )
  ]
  return [...new Map(all)].flatMap(([href, lines]) => {
    const percent = percentSeen(lines)
    return percent === 100 ? [] : [{ href, percent, ...(Number.isFinite(lines.of) ? { lines } : {}) }]
  })
}
