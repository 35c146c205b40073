/**
 * Cuts the output of a call to its budget, with a note about the shown part. A file or page loses its end, which the
 * model can read later. A command keeps its beginning, its end and lines about errors. A diff keeps its changed lines.
 */
import { diffSummary } from "../files/DiffSummary.ts"
import { cutAt, listWithin } from "../text/Excerpt.ts"
import { cutLine, LineChoice, packLines } from "../excerpts/Packing.ts"
import { chooseRows } from "../excerpts/SearchRank.ts"
import { readNumbered } from "../text/NumberedLines.ts"
import { troubleFilter } from "../text/TroubleLines.ts"
import type { CallOutcome } from "../tools/ToolCall.ts"
import { type CommandText, commandText, diffOf, isFields, outcomeText } from "./OutputText.ts"

interface Cut {
  readonly text: string
  readonly kept: ReadonlyArray<string>
  readonly omitted: ReadonlyArray<string>
}

const linesText = (from: number, to: number): string => (from === to ? `line ${from}` : `lines ${from} to ${to}`)

const pageTextOf = ({ call, result }: CallOutcome): string | undefined => {
  const text = call.name === "fetch_url" && result.data !== null && isFields(result.data) ? result.data["text"] : null
  return typeof text === "string" ? text : undefined
}

/** Tells the model where to read on in a page. Only the text of the page counts, not the fields before it. */
const pageNote =
  (page: string) =>
  ({ kept, text }: Cut): string => {
    const start = Number(/\(Characters (\d+) to \d+ of \d+\. [^\n]*\)$/.exec(text)?.[1] ?? 0)
    const shown = Math.max(0, kept.join("\n").length - Math.max(0, text.lastIndexOf(page)))
    return `(The prompt has no room for the rest of the page. Read on with start ${start + shown}.)`
  }

/** The first and last line number in these lines; undefined without numbers. */
export const numbersOf = (lines: ReadonlyArray<string>): readonly [number, number] | undefined => {
  const first = lines.find((line) => readNumbered(line) !== undefined)
  const last = lines.findLast((line) => readNumbered(line) !== undefined)
  return first === undefined || last === undefined
    ? undefined
    : [readNumbered(first)?.number ?? 1, readNumbered(last)?.number ?? 1]
}

/** Tells the model which lines of a file are shown, and where to read on. */
const fileNote = ({ kept, omitted: omittedLines }: Cut): string => {
  const shownRange = numbersOf(kept)
  const next = (shownRange?.[1] ?? 0) + 1
  const [from, to] = numbersOf(omittedLines) ?? [next, next]
  const total = /^\(Lines? \d+(?: to \d+)? of (\d+)\./.exec(omittedLines.at(-1) ?? "")?.[1] ?? to
  const summary =
    shownRange === undefined
      ? `The prompt has no room for ${linesText(from, to)} of ${total}.`
      : `Lines ${shownRange[0]} to ${shownRange[1]} of ${total}; the prompt has no room for more.`
  return `(${summary} Read on with start_line ${from}.)`
}

/**
 * The minimum number of lines of a licence comment that is left out. The note about a shorter comment would be as long
 * as the comment.
 */
const leastLicence = 5

const plainNote = ({ kept, omitted, text }: Cut): string =>
  `(The prompt has no room for ${linesText(kept.length + 1, kept.length + omitted.length)} of the ${text.split("\n").length} lines of this output.)`

/** The line, or the beginning of a long line with a note. */
const firstRow = (line: string, budget: number): string => {
  if (line.length < budget) return line
  const shown = cutAt(line, budget - 70)
  return shown.length < 40 ? line : `${shown}\n(The first ${shown.length} of ${line.length} characters of this line.)`
}

/** The length of the licence comment at the beginning of a file, in lines. */
const licenceLines = (lines: ReadonlyArray<string>): number => {
  if (readNumbered(lines[0] ?? "")?.number !== 1) return 0
  const end = lines.findIndex((line) => !/^(?:#|\/\/|\/?\*|--|;|<!--|-->|\s|$)/.test(readNumbered(line)?.text ?? "x"))
  const head = lines.slice(0, Math.max(0, end))
  return head.length >= leastLicence && /licen[cs]e|copyright/i.test(head.join("\n")) ? head.length : 0
}

/** The first lines that fit. With `hasEnd`, also some of the last lines. If no line fits, only the note. */
const cutLines = (text: string, limit: number, noteOf: (cut: Cut) => string, hasEnd: boolean): string => {
  const lines = text.split("\n")
  const gap = (from: number, to: number) =>
    noteOf({ text, kept: lines.slice(0, from), omitted: lines.slice(from, to + 1) })
  const most = (limit - gap(0, lines.length - 1).length - 24) * (hasEnd ? 0.75 : 1)
  const rows = [firstRow(lines[0] ?? "", most), ...lines.slice(1)]
  const licence = hasEnd ? 0 : licenceLines(lines)
  const note = `(lines 1 to ${licence}, with the licence, left out)\n`
  if (licence > 0 && limit > 4 * note.length) {
    return note + cutLines(lines.slice(licence).join("\n"), limit - note.length, noteOf, false)
  }
  return packLines(rows, limit, gap, (choice) => {
    if (hasEnd) choice.addEach([...lines.keys()].toReversed(), most)
    choice.addEach(lines.keys())
  }).text
}

/** The minimum number of shown lines of a diff: two that name the file, the line `@@`, and one changed line. */
const leastOfDiff = 4

/**
 * The names of the changed files, and as many changed lines as fit. Unchanged lines are left out.
 */
const cutDiff = (text: string, files: ReadonlyArray<string>, limit: number): string => {
  const all = text.split("\n")
  const lines = all.filter((line) => !line.startsWith(" ") && line !== "")
  const note = `(The prompt has no room for all of the ${all.length} lines of this diff. It changes:)\n`
  const summary = note + listWithin(files, limit - note.length, (count) => `(and ${count} more files)`).text
  const sizes = lines.map((line) => line.length + 1)
  const choice = new LineChoice(sizes, 0, limit - summary.length - 100)
  choice.addEach(lines.keys())
  const count = choice.lines.size
  if (count < Math.min(lines.length, leastOfDiff)) return summary
  const first = Math.max(...choice.lines) < count ? "The first " : ""
  const shown = count < lines.length ? `(${first}${count} of them:)` : "(These lines:)"
  return [summary, "", shown, ...lines.filter((_, index) => choice.lines.has(index))].join("\n")
}

/** The note in place of the omitted lines with the indexes `from` to `to`, from 0. */
export const gapText = (from: number, to: number): string => `(${linesText(from + 1, to + 1)} left out)`

/**
 * Cuts the output of a command. The last lines show totals and have priority. Lines about errors are second, and the
 * first lines third.
 */
const cutCommand = ({ head, output }: CommandText, limit: number): string => {
  const lines = output.replace(/\n$/, "").split("\n")
  const start = `${cutAt(head, 200)}\n\n(The prompt has no room for all of the ${lines.length} lines of this output.)`
  const budget = limit - start.length - 1
  const isTrouble = troubleFilter()
  const packed = packLines(
    lines.map((line) => cutLine(line)),
    budget,
    gapText,
    (choice) => {
      const backwards = [...lines.keys()].toReversed()
      choice.addEach(backwards, budget * 0.7)
      choice.addEach(
        lines.flatMap((line, index) => (isTrouble(line) ? [index] : [])),
        budget * 0.1
      )
      choice.addEach(lines.keys(), choice.budgetLeft / 2)
      choice.addEach(backwards)
    }
  )
  return packed.isEmpty ? start : `${start}\n${packed.text}`
}

/** A match of a search, `path:line: text`. Lines around matches have no path. */
const searchLine = /^(?!\d+:(?: |$))(?<path>.+?):\d+:(?: |$)/
const isMatch = (line: string): boolean => searchLine.test(line)
const isNote = (line: string): boolean => line.startsWith("(") && !line.startsWith("(in ")
const moreFiles = (count: number): string => `and ${count} more files`

/**
 * Parses the first line of a shortened search output. `totals` has the number of matches of each named file. `more` is
 * the note about further files.
 */
const countsIn = (head: string) => {
  const [, named = "", more = ""] =
    /Shown by file: (.*?)(, and \d+ match(?:es)? in \d+ files? more)?\. For others/.exec(head) ?? []
  const counts = named.split(", ").flatMap((one): ReadonlyArray<readonly [string, number]> => {
    const [, path = "", count] = /^(.+?) (?:\d+ of )?(\d+)$/.exec(one) ?? []
    return count === undefined ? [] : [[path, Number(count)]]
  })
  return { totals: new Map(counts), more }
}

/** Lines of a search that follow each other, from one file: a line `(in ...)` if there is one, and what it names. */
interface FoundPart {
  /** The line `(in ...)` with the names of declarations. Empty without such a line. */
  readonly heading: string
  readonly lines: Array<string>
  path?: string
}

/** A match of a search. `line` is the matching line of the file, and `size` its characters in the output. */
interface FoundRow {
  readonly text: string
  readonly line: string
  readonly size: number
  readonly part: FoundPart
}

/** The matches in the lines of a search by file, and the notes below them. */
const readMatches = (lines: ReadonlyArray<string>) => {
  const matches = new Map<string, Array<FoundRow>>()
  const notes: Array<string> = []
  let part: FoundPart = { heading: "", lines: [] }
  for (const text of lines) {
    const path = searchLine.exec(text)?.groups?.["path"]
    if (path === undefined && isNote(text)) {
      notes.push(text)
      continue
    }
    const isHeading = path === undefined && text.startsWith("(in ")
    const isOfOther = path !== undefined && part.path !== undefined && part.path !== path
    if (isHeading || isOfOther || text === "--") part = { heading: isHeading ? text : "", lines: [] }
    if (text !== "--") part.lines.push(text)
    if (path === undefined) continue
    const size = text.length + 1 + (part.path === undefined && part.heading !== "" ? part.heading.length + 1 : 0)
    part.path = path
    const line = text.slice(path.length).replace(/^:\d+: ?/, "")
    matches.set(path, [...(matches.get(path) ?? []), { text, line, size, part }])
  }
  return { matches, notes }
}

/** The parts of which all matches are shown, and whose other lines fit in `characters` characters. */
const wholeParts = (shownRows: ReadonlyArray<FoundRow>, characters: number): ReadonlySet<FoundPart> => {
  const wholes = new Set<FoundPart>()
  let charactersLeft = characters
  for (const [part, rows] of Map.groupBy(shownRows, (row) => row.part)) {
    const more = part.lines.join("\n").length + 4 - rows.reduce((sum, { size }) => sum + size, 0)
    if (part.lines.filter(isMatch).length > rows.length || more > charactersLeft) continue
    wholes.add(part)
    charactersLeft -= more
  }
  return wholes
}

/** The lines for matches. A heading stands once, above the matches of a file that it names. `--` ends them. */
const shownLines = (rows: ReadonlyArray<FoundRow>, wholes: ReadonlySet<FoundPart>): ReadonlyArray<string> =>
  rows.flatMap(({ part, text }, index) => {
    const before = rows[index - 1]?.part
    const isWhole = wholes.has(part)
    if (before === part) return isWhole ? [] : [text]
    if (isWhole) return [...(before === undefined ? [] : ["--"]), ...part.lines]
    if (part.heading !== "") return [part.heading, text]
    const isOpen = before !== undefined && (wholes.has(before) || (before.path === part.path && before.heading !== ""))
    return isOpen ? ["--", text] : [text]
  })

/** As many matches of a search as fit, and the number of matches in each file. The rest is for lines around them. */
const cutSearch = (text: string, limit: number): string => {
  const [head = "", ...lines] = text.split("\n")
  const { matches, notes } = readMatches(lines)
  const { more, totals } = countsIn(head)
  const title = head.replace(/ Shown by file: .*$/, "")
  const files = [...matches].map(([path, rows]) => ({ path, rows }))
  const hasAround = lines.some((line) => readNumbered(line) !== undefined)
  const beside = hasAround ? " or for all lines around matches" : ""
  const higher = head.includes("give a higher max_results") ? " More match than max_results allowed." : ""
  const advice = matches.size > 1 || totals.size > 1 ? "name a file with path" : "look for a longer text"
  const write = (budget: number): string => {
    const chosen = chooseRows(files, { characters: budget })
    const shownRows = files.flatMap(({ rows }, at) => (chosen[at] ?? []).flatMap((index) => rows[index] ?? []))
    const used = shownRows.reduce((sum, { size }) => sum + size, 0)
    const wholes = hasAround ? wholeParts(shownRows, budget - used) : new Set<FoundPart>()
    const paths = [...new Set([...matches.keys(), ...totals.keys()])]
    const counts = paths.map((path) => {
      const kept = shownRows.filter(({ part }) => part.path === path).length
      const all = totals.get(path) ?? (matches.get(path) ?? []).length
      return `${path} ${kept < all ? `${kept} of ${all}` : all}`
    })
    const byFile = listWithin(counts, Math.max(100, limit / 3), moreFiles).text.replaceAll("\n", ", ") + more
    const first = `${title} Shown by file: ${byFile}.${higher} The prompt has no room for more${beside}; ${advice}.`
    return [first, ...shownLines(shownRows, wholes), ...notes].join("\n")
  }
  // If more matches are shown, the number beside each file may get more digits. Eight characters are reserved for each
  // number.
  let budget = limit - write(0).length - 8 * matches.size
  let cut = write(Math.max(0, budget))
  // If the first match below a heading is dropped, the next match needs the heading.
  while (cut.length > limit && budget > 0) {
    budget -= cut.length - limit
    cut = write(Math.max(0, budget))
  }
  return cut.length <= limit ? cut : `${title} The prompt has no room for them; ${advice}.`
}

/**
 * Cuts the output to `limit` characters, including a note about the omitted part. A note that is longer than `limit`
 * stays whole.
 */
export const cutOutput = (outcome: CallOutcome, limit: number): string => {
  const text = outcomeText(outcome)
  if (text.length <= limit) return text
  const command = commandText(outcome.result)
  const diff = diffOf(outcome.result) ?? command?.output
  const files = diff === undefined ? undefined : diffSummary(diff)
  if (diff !== undefined && files !== undefined) return cutDiff(diff, files, limit)
  if (command !== undefined) return cutCommand(command, limit)
  const isSearch = outcome.call.name === "search_files" && outcome.result.success
  if (isSearch && text.split("\n").some(isMatch)) return cutSearch(text, limit)
  if (readNumbered(text.split("\n", 1)[0] ?? "") !== undefined) return cutLines(text, limit, fileNote, false)
  const page = pageTextOf(outcome)
  return page === undefined ? cutLines(text, limit, plainNote, true) : cutLines(text, limit, pageNote(page), false)
}
