/**
 * What a model is told about an old text that has no single place: all places with the lines around them, or the lines that
 * are most similar.
 */
import { distance } from "fastest-levenshtein"
import { showMatches } from "./LineSearch.ts"
import { lineAt, type TextPlace } from "./TextMatch.ts"

const maxPlaces = 10
const contextLines = 2
const maxCounted = 1000
const maxQuotedLines = 15
const maxComparedLines = 20_000
const maxComparedLength = 200
const alike = 0.6

const linesOf = (text: string): ReadonlyArray<string> => text.replaceAll("\r\n", "\n").split("\n")

/** `3 times in a.ts, at lines 4, 9, 20:` with the lines of each place and two around it. */
export const showPlaces = (
  { mayQuote, path, text }: { readonly path: string; readonly text: string; readonly mayQuote: boolean },
  places: ReadonlyArray<TextPlace>
): string => {
  const total = places.length > maxCounted ? `more than ${maxCounted}` : String(places.length)
  const lines = places.slice(0, maxPlaces).map(({ from }) => lineAt(text, from))
  const more = places.length > maxPlaces ? ` and ${places.length - maxPlaces} more` : ""
  const said = `${total} times in ${path}, at lines ${lines.join(", ")}${more}`
  if (!mayQuote) return `${said}. `
  const matches = [...new Set(lines)].map((line) => ({ index: line - 1, at: 0 }))
  return `${said}:\n${showMatches(path, linesOf(text.replace(/\r?\n$/, "")), matches, contextLines).join("\n")}\n`
}

const similarity = (a: string, b: string): number => {
  const [left, right] = [a.trim().slice(0, maxComparedLength), b.trim().slice(0, maxComparedLength)]
  const longer = Math.max(left.length, right.length)
  if (longer === 0 || Math.min(left.length, right.length) < longer / 2) return 0
  return 1 - distance(left, right) / longer
}

const withoutBlanks = (text: string): string => text.replace(/\s+/g, "")

const longestOf = (lines: ReadonlyArray<string>): number =>
  lines.reduce((best, line, index) => (line.trim().length > (lines[best] ?? "").trim().length ? index : best), 0)

/** How much the lines from one on are like those that were sought, on average. */
const likeness = (lines: ReadonlyArray<string>, first: number, sought: ReadonlyArray<string>): number => {
  const compared = sought
    .slice(0, maxQuotedLines)
    .flatMap((line, index) => (line.trim() === "" ? [] : [similarity(lines[first + index] ?? "", line)]))
  return compared.reduce((sum, one) => sum + one, 0) / Math.max(1, compared.length)
}

/**
 * The lines of the text that are most similar to what was searched for, found by its longest line. They are not said to be
 * the place.
 */
export const nearestLines = (text: string, sought: string): string => {
  const wanted = linesOf(sought.replace(/\r?\n$/, ""))
  const lines = linesOf(text)
  const anchor = longestOf(wanted)
  const firsts = lines
    .slice(0, maxComparedLines)
    .map((line, index) => ({ first: Math.max(0, index - anchor), score: similarity(line, wanted[anchor] ?? "") }))
    .filter(({ score }) => score >= alike)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, maxPlaces)
    .map(({ first }) => ({ first, score: likeness(lines, first, wanted) }))
  const best = firsts.reduce((most, one) => (one.score > most.score ? one : most), { first: 0, score: 0 })
  if (best.score < alike) return "No line is similar. Read the file and copy the lines from it."
  const { first } = best
  const found = lines.slice(first, first + Math.min(wanted.length, maxQuotedLines))
  const isOnlyBlanks = withoutBlanks(found.join("\n")) === withoutBlanks(sought)
  const place = found.length === 1 ? `Line ${first + 1} is` : `Lines ${first + 1} to ${first + found.length} are`
  const hint = isOnlyBlanks ? "nearest and differ only in blanks" : "nearest"
  return `${place} ${hint}; if that is meant, copy from here exactly:\n${found.join("\n")}`
}
