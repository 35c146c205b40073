/**
 * Reads answers about numbered places in files. An answer has one line for each place with the decision about it, or
 * lines that replace text in many places. All other text is read as in a turn without places.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Issue, makeIssue } from "../findings/Issue.ts"
import { codeLines } from "../files/CodeText.ts"
import { languageOf } from "../files/Language.ts"
import { oneLine } from "../text/Format.ts"
import { isNumbered, numbersText, type NumberedPlace, unnumberedLines } from "./Places.ts"
import { callEnd, openParentheses, placeLine } from "./ListedPlaces.ts"

/**
 * The decision about a place. The new `lines` replace the line of the place. They are undefined if a change block of
 * the answer replaces that line.
 */
export type PlaceAnswer =
  | { readonly _tag: "Keep" | "Note"; readonly text: string }
  | { readonly _tag: "Look" }
  | { readonly _tag: "Change"; readonly lines: ReadonlyArray<string> | undefined }

export interface PlaceReading {
  readonly answers: ReadonlyMap<number, PlaceAnswer>
  /** The text of the answer without the decisions. */
  readonly rest: string
  readonly issues: ReadonlyArray<Issue>
}

/** A line with decisions: `12 change: text`, `[12] keep: why`, `- **3-5, 8** look`. */
const answerLine =
  /^\s*(?:[-*+]\s+)?[*`]*\[?(\d+(?:\s*(?:-|–|to|,|and)\s*\d+)*)\]?[*`]*\s*[:.)]?\s*[*`]*(keep|look|change|remove|note)\b[*`]*\s*(?:[:—–-]\s*)?(.*)$/i

/** A line such as `src/a.py:168 change: text`, which changes an unnumbered line. */
const lineAnswer =
  /^\s*(?:[-*+]\s+)?[*`]*([^\s:`*]+):(\d+)[*`]*\s*[:.)]?\s*[*`]*(change|remove)\b[*`]*\s*(?:[:—–-]\s*)?(.*)$/i

const opensFence = /^\s*(`{3,}|~{3,})/

/** Expands ranges: `1, 3-5` is 1, 3, 4, 5. */
const numbersOf = (text: string): ReadonlyArray<number> =>
  text.split(/,|and/).flatMap((part) => {
    const [from = 0, to = from] = (part.match(/\d+/g) ?? []).map(Number)
    return Array.from({ length: Math.min(Math.max(0, to - from) + 1, 1000) }, (_, index) => from + index)
  })

/** Removes backticks around the whole text. */
const unquoted = (text: string): string => {
  const [, run = "", inner = ""] = /^(`+)(.+)\1$/.exec(text.trim()) ?? []
  return inner === "" || inner.includes(run) ? text.trim() : inner.trim()
}

/** The content of the fence at this index, and the index after it. */
const fenceFrom = (lines: ReadonlyArray<string>, at: number, opening = lines[at] ?? "") => {
  const [, mark = ""] = opensFence.exec(opening) ?? []
  if (mark === "") return undefined
  const end = lines.findIndex(
    (line, index) => index > at && line.trim().startsWith(mark) && /^[`~]+$/.test(line.trim())
  )
  return end < 0 ? undefined : { lines: lines.slice(at + 1, end), next: end + 1 }
}

const indentOf = (line: string): string => /^\s*/.exec(line)?.[0] ?? ""

/** Indents new lines like the line that they replace, unless the first of them is already indented. */
const indentedAs = (line: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  indentOf(lines[0] ?? "") !== "" ? lines : lines.map((text) => (text.trim() === "" ? "" : `${indentOf(line)}${text}`))

/** The index of the line after the change block that begins at `at`. */
const blockEnd = (lines: ReadonlyArray<string>, at: number): number | undefined => {
  if (!/^\s*<{5,}/.test(lines[at] ?? "")) return undefined
  const end = lines.findIndex((line, index) => index > at && /^\s*>{5,}/.test(line))
  return end < 0 ? undefined : end + 1
}

/** A replacement: `{"places": "all", "replace": "a(", "with": "b(", "except": [3]}` */
const Rule = Schema.Struct({
  places: Schema.Union([Schema.Literal("all"), Schema.Array(Schema.Int)]),
  replace: Schema.String,
  with: Schema.String,
  except: Schema.optionalKey(Schema.Array(Schema.Int))
})
const readRule = Schema.decodeUnknownOption(Schema.fromJsonString(Rule))

class Reader {
  readonly answers = new Map<number, PlaceAnswer>()
  /**
   * The answers for places that a replacement rule of the model covers. An answer for a single place overrides them.
   */
  readonly byRules = new Map<number, PlaceAnswer>()
  readonly issues: Array<Issue> = []
  readonly rest: Array<string> = []
  private readonly places: ReadonlyMap<number, NumberedPlace>
  /** The lines that the prompt shows, by path and line number. */
  private readonly lines: ReadonlyMap<string, NumberedPlace>

  constructor(places: ReadonlyArray<NumberedPlace>) {
    this.places = new Map(places.map((place) => [place.number, place]))
    const all = [...places, ...unnumberedLines(places)]
    this.lines = new Map(all.map((place) => [`${place.path}:${place.line}`, place]))
  }

  private refuse(what: string, how: string): void {
    this.issues.push(makeIssue("place-answer", {}, { what, how }))
  }

  /** The places with these numbers. Records an issue if a number is unknown. */
  private placesOf(numbers: ReadonlyArray<number>): ReadonlyArray<NumberedPlace> {
    const unknown = numbers.filter((number) => !this.places.has(number))
    if (unknown.length > 0) {
      this.refuse(
        `There is no place ${numbersText(unknown)} here.`,
        `The places are ${numbersText([...this.places.keys()])}.`
      )
    }
    return numbers.flatMap((number) => this.places.get(number) ?? [])
  }

  /** Reads a replacement for many places. False for any other line. */
  readRule(line: string): boolean {
    const rule = Option.getOrUndefined(readRule(line.trim()))
    if (rule === undefined) return false
    const left = new Set(rule.except)
    const numbers = rule.places === "all" ? [...this.places.keys()] : rule.places
    for (const place of this.placesOf(numbers.filter((number) => !left.has(number)))) {
      const before = placeLine(place)
      if (before.includes(rule.replace) && rule.replace !== "") {
        const after = before.split(rule.replace).join(rule.with)
        this.byRules.set(place.number, { _tag: "Change", lines: after.split("\n") })
      } else {
        this.refuse(
          `Place ${place.number} does not hold ${JSON.stringify(rule.replace)}.`,
          `Answer it by itself, and add it to "except": ${oneLine(before)}`
        )
      }
    }
    return true
  }

  /** The decision on a line, with its places. Undefined for other text. */
  private decisionOf(line: string) {
    const [, numbers, verb = "", rest = ""] = answerLine.exec(line) ?? []
    if (numbers !== undefined) {
      return { places: this.placesOf(numbersOf(numbers)), verb: verb.toLowerCase(), text: rest.trim() }
    }
    const [, path, number, change = "", text = ""] = lineAnswer.exec(line) ?? []
    if (path === undefined) return undefined
    const place = this.lines.get(`${path}:${number}`)
    if (place === undefined) this.refuse(`${path}:${number} is not shown here.`, "Change it with a block.")
    return { places: place === undefined ? [] : [place], verb: change.toLowerCase(), text: text.trim() }
  }

  /** Reads the decision at a line, and returns the index after it. Undefined if none begins there. */
  readAnswer(lines: ReadonlyArray<string>, at: number): number | undefined {
    const decision = this.decisionOf(lines[at] ?? "")
    if (decision === undefined) return undefined
    const { places, text, verb } = decision
    const below = /\S/.exec(lines[at + 1] ?? "") === null ? at + 2 : at + 1
    const isOpening = /^(?:`{3,}|~{3,})[\w+#-]*$/.test(text)
    const fence =
      verb !== "change"
        ? undefined
        : isOpening
          ? fenceFrom(lines, at, text)
          : text === ""
            ? fenceFrom(lines, below)
            : undefined
    for (const place of places) {
      const answer = this.answerOf(place, verb, text, fence?.lines)
      const isBare = answer._tag === "Change" && answer.lines === undefined
      if (isNumbered(place) || !isBare) this.answers.set(place.number, answer)
      else this.refuse(`No text says how ${place.path}:${place.line} changes.`, "Write its new text behind it.")
    }
    return fence?.next ?? at + 1
  }

  private answerOf(
    place: NumberedPlace,
    verb: string,
    text: string,
    fenced: ReadonlyArray<string> | undefined
  ): PlaceAnswer {
    if (verb === "look") return { _tag: "Look" }
    if (verb === "keep") return { _tag: "Keep", text }
    if (verb === "note") return { _tag: "Note", text }
    if (verb === "remove") return { _tag: "Change", lines: [] }
    const lines = fenced ?? (text === "" ? undefined : [unquoted(text)])
    return { _tag: "Change", lines: lines && indentedAs(placeLine(place), lines) }
  }
}

export const readPlaceAnswers = (answer: string, places: ReadonlyArray<NumberedPlace>): PlaceReading => {
  const reader = new Reader(places)
  const lines = answer.split(/\r?\n/)
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? ""
    const fence = fenceFrom(lines, at)
    const isRule = reader.readRule(line) || (fence?.lines.length === 1 && reader.readRule(fence.lines[0] ?? ""))
    const next = isRule ? (fence?.next ?? at + 1) : reader.readAnswer(lines, at)
    // Lines in change blocks and fences are text of a file, not decisions.
    const end = next ?? blockEnd(lines, at) ?? fence?.next ?? at + 1
    if (next === undefined) reader.rest.push(...lines.slice(at, end))
    at = end
  }
  const answers = new Map([...reader.byRules, ...reader.answers])
  return { answers, rest: reader.rest.join("\n"), issues: reader.issues }
}

export const nothingAnswered = (open: ReadonlyArray<number>): Issue =>
  makeIssue("place-open", {}, { what: `The places ${numbersText(open)} have no answer.` })

/**
 * Puts the decided lines into a text that contains all `places`. New lines replace the line of their place. If a call
 * begins there and the new lines close all their parentheses, they replace the whole call, unless it contains another
 * place.
 */
export const withAnswers = (
  text: string,
  places: ReadonlyArray<NumberedPlace>,
  answers: ReadonlyMap<number, PlaceAnswer>
): string => {
  const language = languageOf(places[0]?.path ?? "")
  const code = codeLines(text, language)
  const numbered = new Set(places.map(({ line }) => line))
  const now = new Map<number, ReadonlyArray<string>>()
  for (const { line, number } of places) {
    const answer = answers.get(number)
    if (answer?._tag !== "Change" || answer.lines === undefined) continue
    now.set(line, answer.lines)
    const replaced = codeLines(answer.lines.join("\n"), language)
    if (replaced.reduce((open, text) => open + openParentheses(text), 0) > 0) continue
    const rest = Array.from({ length: callEnd(code, line - 1) + 1 - line }, (_, index) => line + 1 + index)
    if (!rest.some((at) => numbered.has(at))) for (const at of rest) now.set(at, [])
  }
  return text
    .split("\n")
    .flatMap((line, index) => {
      const end = line.endsWith("\r") ? "\r" : ""
      return now.get(index + 1)?.map((changed) => `${changed}${end}`) ?? [line]
    })
    .join("\n")
}
