/** A call in one line, where its output has no room. */
import { shortened } from "../text/Excerpt.ts"
import type { LineRange } from "../text/LineRange.ts"
import type { CallOutcome, ToolCall } from "../tools/ToolCall.ts"
import { numbersOf } from "./OutputCut.ts"
import { outcomeText } from "./OutputText.ts"

/** The places of more matches are not named. */
const mostPlaces = 3

/** What a call was about, as far as its arguments say it in few words: `edit_file src/a.ts`. */
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

/** Where the matches of a search are, when they are few. */
const placesFound = (outcome: CallOutcome): string => {
  if (outcome.call.name !== "search_files") return ""
  const places = outcomeText(outcome)
    .split("\n")
    .flatMap((line) => /^(\S+:\d+): /.exec(line)?.[1] ?? [])
  return places.length > 0 && places.length <= mostPlaces ? ` At ${places.join(", ")}.` : ""
}

/** One line for a call whose output is not shown. */
export const callLine = (outcome: CallOutcome): string => {
  const { call, result } = outcome
  const range = isRead(outcome) ? linesOfRead(outcome) : undefined
  const [first = ""] = outcomeText(outcome).split("\n")
  const said =
    range === undefined
      ? shortened(first.replace(/ Shown by file:.*$/, ""), 140)
      : `lines ${range.from} to ${range.to}, not shown here`
  return `- ${callLabel(call)}: ${result.success ? `${said}${placesFound(outcome)}` : `failed: ${shortened(result.error_message ?? "", 300)}`}`
}
