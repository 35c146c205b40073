/** Shows a call in one line, for prompts in which its output does not fit. */
import { shortened } from "../text/Excerpt.ts"
import type { LineRange } from "../text/LineRange.ts"
import type { CallOutcome, ToolCall } from "../tools/ToolCall.ts"
import { numbersOf } from "./OutputCut.ts"
import { outcomeText } from "./OutputText.ts"

/**
 * If a search has more matches than this, its line names no places. Otherwise the line names the places of all matches.
 */
const mostPlaces = 3

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

/** The places of a search with few matches. Empty for other calls. */
const placesFound = (outcome: CallOutcome): string => {
  if (outcome.call.name !== "search_files") return ""
  const places = outcomeText(outcome)
    .split("\n")
    .flatMap((line) => /^(\S+:\d+): /.exec(line)?.[1] ?? [])
  return places.length > 0 && places.length <= mostPlaces ? ` At ${places.join(", ")}.` : ""
}

/** The line for a call: its label, the lines that it read, and how it ended. */
export const callLine = (outcome: CallOutcome): string => {
  const { call, result } = outcome
  const range = isRead(outcome) ? linesOfRead(outcome) : undefined
  const [first = ""] = outcomeText(outcome).split("\n")
  const summary =
    range === undefined
      ? shortened(first.replace(/ Shown by file:.*$/, ""), 140)
      : `lines ${range.from} to ${range.to}, not shown here`
  return `- ${callLabel(call)}: ${result.success ? `${summary}${placesFound(outcome)}` : `failed: ${shortened(result.error_message ?? "", 300)}`}`
}
