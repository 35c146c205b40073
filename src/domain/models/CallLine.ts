/** Shows calls in one line each, for prompts in which their outputs do not fit. */
import { shortened } from "../text/Excerpt.ts"
import { counted } from "../text/Format.ts"
import { joinRanges, type LineRange } from "../text/LineRange.ts"
import { type CallOutcome, pathOf, type ToolCall } from "../tools/ToolCall.ts"
import { numbersOf } from "./OutputCut.ts"
import { outcomeText } from "./OutputText.ts"

/** If a search has at most this many matches, its line names their places. */
const mostPlaces = 3

/** If a search has more matches than `mostPlaces`, its line names at most this many files. */
const mostNamed = 5

/** At most this many line numbers are named for a file. If there are more, the line gives only their count. */
const mostNumbers = 4

/** A short label of a call, such as `edit_file src/a.ts`. */
export const callLabel = ({ arguments: given, name }: ToolCall): string => {
  const subject = given["pattern"] ?? given["path"] ?? given["url"] ?? given["argv"]
  const text = Array.isArray(subject) ? subject.join(" ") : typeof subject === "string" ? subject : ""
  return `\`${`${name} ${text.replaceAll(/[\s`]+/g, " ").slice(0, 100)}`.trim()}\``
}

export const isRead = ({ call, result }: CallOutcome): boolean => call.name === "read_file" && result.success

export const linesOfRead = (outcome: CallOutcome): LineRange | undefined => {
  const numbers = numbersOf(outcomeText(outcome).split("\n"))
  return numbers === undefined ? undefined : { from: numbers[0], to: numbers[1] }
}

/** The current number of a line that was found at `line`. Undefined if a change has touched the line since. */
export type LineNow = (path: string, line: number, text: string) => number | undefined

/** The matching lines in the output of a search. Empty for other calls. */
const matchesOf = (outcome: CallOutcome) =>
  outcome.call.name === "search_files"
    ? [...outcomeText(outcome).matchAll(/^(\S+):(\d+): (.*)$/gm)].map(([, path = "", line = "", text = ""]) => ({
        path,
        line: Number(line),
        text
      }))
    : []

/**
 * Names the matches of a search. If there are few, each is named by file and line. If there are many, only lines that
 * no change has touched are named, grouped by file.
 */
const matchesText = (outcome: CallOutcome, lineNow?: LineNow): string => {
  const matches = matchesOf(outcome)
  if (matches.length === 0) return ""
  if (matches.length <= mostPlaces) return ` At ${matches.map(({ line, path }) => `${path}:${line}`).join(", ")}.`
  if (lineNow === undefined) return ""
  const untouched = matches.flatMap(({ line, path, text }) => {
    const now = lineNow(path, line, text)
    return now === undefined ? [] : [{ path, line: now }]
  })
  const files = [...Map.groupBy(untouched, ({ path }) => path)].map(([path, lines]) =>
    lines.length <= mostNumbers
      ? `${path}:${lines.map(({ line }) => line).join(", ")}`
      : `${counted(lines.length, "line")} of ${path}`
  )
  const more = files.length > mostNamed ? `; ${files.length - mostNamed} more files` : ""
  return files.length === 0 ? "" : ` Still as found: ${files.slice(0, mostNamed).join("; ")}${more}.`
}

/** The lines that all reads of this file among `calls` have shown. Undefined if the call is no read. */
const linesText = (outcome: CallOutcome, calls: ReadonlyArray<CallOutcome>): string | undefined => {
  if (!isRead(outcome)) return undefined
  const reads = calls.filter((one) => isRead(one) && pathOf(one.call) === pathOf(outcome.call))
  const ranges = joinRanges(reads.flatMap((read) => linesOfRead(read) ?? []))
  return ranges.length === 0
    ? undefined
    : `lines ${ranges.map(({ from, to }) => `${from} to ${to}`).join(", ")}, output left out`
}

/** The first line of an output. Remarks of a search about letter case and single files are removed. */
const firstLine = (outcome: CallOutcome): string => {
  const [first = ""] = outcomeText(outcome).split("\n")
  return shortened(first.replace(/, letter case (?:ignored|matters)\./, ".").replace(/ Shown by file:.*$/, ""), 140)
}

/**
 * The line for a call: its label, and what it found or read, or why it failed. For a read, the line names what all
 * `calls` have read of the file. For a search with many matches, the line tells which matches no change has touched.
 */
export const callLine = (
  outcome: CallOutcome,
  calls: ReadonlyArray<CallOutcome> = [outcome],
  lineNow?: LineNow
): string => {
  const { call, result } = outcome
  const end = result.success
    ? `${linesText(outcome, calls) ?? firstLine(outcome)}${matchesText(outcome, lineNow)}`
    : `failed: ${shortened(result.error_message ?? "", 300)}`
  return `- ${callLabel(call)}: ${end}`
}

/** The lines for calls, the latest call first. All reads of a file share one line. */
export const callLines = (calls: ReadonlyArray<CallOutcome>, lineNow?: LineNow): ReadonlyArray<string> => [
  ...new Set(calls.toReversed().map((outcome) => callLine(outcome, calls, lineNow)))
]
