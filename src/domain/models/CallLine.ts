/** Shows calls in one line each, for prompts in which their outputs do not fit. */
import { shortened } from "../text/Excerpt.ts"
import { joinRanges, type LineRange } from "../text/LineRange.ts"
import { type CallOutcome, pathOf, type ToolCall } from "../tools/ToolCall.ts"
import { numbersOf } from "./OutputCut.ts"
import { outcomeText } from "./OutputText.ts"

/**
 * If a search has more matches than this, its line names no places. Otherwise the line names the places of all matches.
 */
const mostPlaces = 3

/** If a search has more than `mostPlaces` matches, its line names at most this many files. */
const mostNamed = 5

/** A short label of a call from its name and main argument, such as `edit_file src/a.ts`. */
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

/** True for a line that a search has found and that no change has touched since. */
type IsAsFound = (path: string, line: string) => boolean

/** The matching lines in the output of a search. Empty for other calls. */
const matchesOf = (outcome: CallOutcome) =>
  outcome.call.name === "search_files"
    ? [...outcomeText(outcome).matchAll(/^(\S+):(\d+): (.*)$/gm)].map(([, path = "", line = "", text = ""]) => ({
        path,
        place: `${path}:${line}`,
        text
      }))
    : []

/**
 * A sentence about the matches of a search. If there are only a few matches, it names their places. If there are many,
 * it tells how many matches `isAsFound` accepts in each file.
 */
const matchesText = (outcome: CallOutcome, isAsFound?: IsAsFound): string => {
  const matches = matchesOf(outcome)
  if (matches.length === 0) return ""
  if (matches.length <= mostPlaces) return ` At ${matches.map(({ place }) => place).join(", ")}.`
  if (isAsFound === undefined) return ""
  const openMatches = Map.groupBy(
    matches.filter(({ path, text }) => isAsFound(path, text)),
    ({ path }) => path
  )
  const counts = [...openMatches].map(([path, some]) => `${path} ${some.length}`)
  const more = counts.length > mostNamed ? ` and ${counts.length - mostNamed} more files` : ""
  return counts.length === 0
    ? ""
    : ` Of these lines not changed so far: ${counts.slice(0, mostNamed).join(", ")}${more}.`
}

/**
 * The numbers of the lines that all reads of the same file among `calls` have shown, as text. Undefined if the call is
 * no read.
 */
const linesText = (outcome: CallOutcome, calls: ReadonlyArray<CallOutcome>): string | undefined => {
  if (!isRead(outcome)) return undefined
  const reads = calls.filter((one) => isRead(one) && pathOf(one.call) === pathOf(outcome.call))
  const ranges = joinRanges(reads.flatMap((read) => linesOfRead(read) ?? []))
  return ranges.length === 0
    ? undefined
    : `lines ${ranges.map(({ from, to }) => `${from} to ${to}`).join(", ")}, not shown here`
}

/**
 * The first line of an output. If the output is from a search, remarks about letter case and about single files are
 * removed.
 */
const firstLine = (outcome: CallOutcome): string => {
  const [first = ""] = outcomeText(outcome).split("\n")
  return shortened(first.replace(/, letter case (?:ignored|matters)\./, ".").replace(/ Shown by file:.*$/, ""), 140)
}

/**
 * The line for a call: its label, followed by what the call found or read, or by the reason why it failed.
 * - The line of a read names the lines that all `calls` have read of the same file.
 * - If a search has many matches, its line tells how many of them `isAsFound` accepts in each file.
 */
export const callLine = (
  outcome: CallOutcome,
  calls: ReadonlyArray<CallOutcome> = [outcome],
  isAsFound?: IsAsFound
): string => {
  const { call, result } = outcome
  const end = result.success
    ? `${linesText(outcome, calls) ?? firstLine(outcome)}${matchesText(outcome, isAsFound)}`
    : `failed: ${shortened(result.error_message ?? "", 300)}`
  return `- ${callLabel(call)}: ${end}`
}

/** The lines for calls, the latest call first. All reads of a file share one line. */
export const callLines = (calls: ReadonlyArray<CallOutcome>, isAsFound?: IsAsFound): ReadonlyArray<string> => [
  ...new Set(calls.toReversed().map((outcome) => callLine(outcome, calls, isAsFound)))
]
