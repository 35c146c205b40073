/**
 * A literal text in many files: where it stands, and its replacement.
 */
import { lineAt, spellings } from "./TextMatch.ts"

/** A line that holds the text; `line` counts from 1. */
export interface TextLine {
  readonly path: string
  readonly line: number
}

const name = /^[\p{L}\p{N}_$]+$/u
const nameSign = /[\p{L}\p{N}_$]/u

/** Where the pattern stands; a pattern that is one name is found as a whole name only. */
const offsetsIn = (text: string, pattern: string): ReadonlyArray<number> => {
  const isName = name.test(pattern)
  const found: Array<number> = []
  for (let at = text.indexOf(pattern); at !== -1;) {
    const isPart = nameSign.test(text[at - 1] ?? "") || nameSign.test(text[at + pattern.length] ?? "")
    const fits = !isName || !isPart
    if (fits) found.push(at)
    at = text.indexOf(pattern, at + (fits ? pattern.length : 1))
  }
  return found
}

const spelled = (text: string, pattern: string): string =>
  spellings(text)
    .map((spell) => spell(pattern))
    .find((one) => text.includes(one)) ?? pattern

/** True for a text with the pattern, whatever its line ends. */
export const holdsPattern = (text: string, pattern: string): boolean => text.includes(spelled(text, pattern))

/** The line of each offset, which ascend. */
const linesOf = (text: string, offsets: ReadonlyArray<number>): ReadonlyArray<number> => {
  let [line, at] = [1, 0]
  return offsets.map((offset) => {
    line += lineAt(text.slice(at, offset), offset) - 1
    at = offset
    return line
  })
}

const namedPlaces = (except: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(except.map((one) => one.trim().replace(/^\.\//, "")))

const isFileExcepted = (except: ReadonlySet<string>, path: string): boolean =>
  except.has(path) || [...except].some((one) => one.endsWith("/") && path.startsWith(one))

/** True for a place that is named as `path:line`, `path`, or a folder with a slash at its end. */
const isExcepted = (except: ReadonlySet<string>, path: string, line: number): boolean =>
  except.has(`${path}:${line}`) || isFileExcepted(except, path)

/** True for files that are excepted as a whole. */
export const exceptedFiles = (except: ReadonlyArray<string>): ((path: string) => boolean) => {
  const places = namedPlaces(except)
  return (path) => isFileExcepted(places, path)
}

/** The lines in which the pattern stands, each once, without the excepted ones. */
export const replacePlaces = (
  files: ReadonlyArray<{ readonly path: string; readonly text: string }>,
  { except, pattern }: { readonly pattern: string; readonly except: ReadonlyArray<string> }
): ReadonlyArray<TextLine> => {
  const excepted = namedPlaces(except)
  return files.flatMap(({ path, text }) => {
    if (pattern === "") return []
    const offsets = offsetsIn(text, spelled(text, pattern))
    return [...new Set(linesOf(text, offsets))]
      .filter((line) => !isExcepted(excepted, path, line))
      .map((line) => ({ path, line }))
  })
}

/** The text with the pattern replaced wherever it stands, but in lines that are excepted. */
export const replaceIn = (text: string, pattern: string, by: string, exceptLines: ReadonlyArray<number>): string => {
  if (pattern === "") return text
  const [sought, excepted] = [spelled(text, pattern), new Set(exceptLines)]
  const written = spellings(text)[0](by)
  const offsets = offsetsIn(text, sought)
  const lines = linesOf(text, offsets)
  let [at, after] = [0, ""]
  for (const [index, offset] of offsets.entries()) {
    if (excepted.has(lines[index] ?? 0)) continue
    after += text.slice(at, offset) + written
    at = offset + sought.length
  }
  return after + text.slice(at)
}
