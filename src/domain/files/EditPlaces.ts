/**
 * Finds the old text of an edit in a file. If the exact text is missing, it accepts the usual differences of copies by
 * models. Examples are other quotes and a cut line. The first search that finds a place decides.
 */
import { plainSigns } from "../text/PlainSigns.ts"

/** A range of characters in the file, and its replacement. */
export interface TextPlace {
  readonly from: number
  readonly to: number
  readonly newText: string
}

interface Replacement {
  readonly oldText: string
  readonly newText: string
}

const toLf = (text: string): string => text.replaceAll("\r\n", "\n")
const toCrlf = (text: string): string => toLf(text).replaceAll("\n", "\r\n")

const count = (text: string, part: string): number => text.split(part).length - 1

/** Functions that convert a text to the line ends of the file, one function for each kind of line end in the file. */
export const spellings = (text: string): readonly [(part: string) => string, ...Array<(part: string) => string>] => {
  const crlf = count(text, "\r\n")
  if (crlf === 0) return [toLf]
  return crlf === count(text, "\n") ? [toCrlf] : [(part) => part, toCrlf]
}

/** The line number of an offset, from 1. */
export const lineAt = (text: string, offset: number): number => count(text.slice(0, offset), "\n") + 1

/** The offsets of all occurrences of `part`, also overlapping ones. */
const offsetsOf = (text: string, part: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found.push(at)
  return found
}

const isLineStart = (text: string, offset: number): boolean => offset === 0 || text[offset - 1] === "\n"
const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, "")

/**
 * The places of the exact text. If the old text ends with a line end, places at line starts are preferred. The last
 * line of the file may lack its line end.
 */
const exactPlaces = (text: string, { newText, oldText }: Replacement): ReadonlyArray<TextPlace> => {
  for (const spell of spellings(text)) {
    const wanted = spell(oldText)
    const offsets = offsetsOf(text, wanted)
    const atLines = wanted.endsWith("\n") ? offsets.filter((offset) => isLineStart(text, offset)) : []
    const starts = atLines.length > 0 ? atLines : offsets
    if (starts.length > 0) return starts.map((from) => ({ from, to: from + wanted.length, newText: spell(newText) }))
    const last = withoutLineEnd(wanted)
    const from = text.length - last.length
    if (last !== wanted && last !== "" && text.endsWith(last) && isLineStart(text, from)) {
      return [{ from, to: text.length, newText: withoutLineEnd(spell(newText)) }]
    }
  }
  return []
}

const linesOf = (text: string) => {
  let from = 0
  return text.split("\n").map((line) => {
    const content = line.endsWith("\r") ? line.slice(0, -1) : line
    const found = { from, to: from + content.length, text: content }
    from += line.length + 1
    return found
  })
}

const isBlank = (line: string): boolean => line.trim() === ""

/**
 * Removes the blank lines at both ends of the old text. At each end the new text loses no more blank lines than the old
 * text.
 */
const coreOf = ({ newText, oldText }: Replacement) => {
  const [oldLines, newLines] = [toLf(oldText).split("\n"), toLf(newText).split("\n")]
  const first = oldLines.findIndex((line) => !isBlank(line))
  const after = oldLines.length - 1 - oldLines.findLastIndex((line) => !isBlank(line))
  let [from, to] = [0, newLines.length]
  while (from < first && from < to && isBlank(newLines[from] ?? "")) from += 1
  while (newLines.length - to < after && to > from && isBlank(newLines[to - 1] ?? "")) to -= 1
  return {
    oldLines: first === -1 ? [] : oldLines.slice(first, oldLines.length - after),
    newLines: newLines.slice(from, to)
  }
}

type Core = ReturnType<typeof coreOf>

/**
 * The places where whole lines match. `rewrite` turns the lines of the file into the new lines, or returns undefined if
 * the result is unclear.
 */
const linePlaces = (
  text: string,
  { newLines, oldLines }: Core,
  fits: (line: string, wanted: string) => boolean,
  rewrite: (fileLines: ReadonlyArray<string>) => ReadonlyArray<string> | undefined
): ReadonlyArray<TextPlace> => {
  const lines = linesOf(text)
  const starts = lines.flatMap((_, at) => {
    const isThere =
      oldLines.length > 0 &&
      at + oldLines.length <= lines.length &&
      oldLines.every((line, index) => fits(lines[at + index]?.text ?? "", line))
    return isThere ? [at] : []
  })
  return starts.flatMap((at) => {
    const fileLines = lines.slice(at, at + oldLines.length)
    const written = rewrite(fileLines.map((line) => line.text))
    if (written === undefined) return []
    const [from, end] = [fileLines[0]?.from ?? 0, fileLines.at(-1)?.to ?? 0]
    const lineEnd = text.startsWith("\r\n", end) || text.slice(from, end).includes("\r\n") ? "\r\n" : "\n"
    const to = newLines.length === 0 ? (lines[at + oldLines.length]?.from ?? end) : end
    return [{ from, to, newText: written.join(lineEnd) }]
  })
}

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? ""

const stepOf = (lines: ReadonlyArray<string>, sign: string): number => {
  const widths = lines.map(indentOf).filter((indent) => indent.startsWith(sign))
  return widths.reduce((least, { length }) => Math.min(least, length), 8)
}

/** Makes a function that converts the indentation of new lines to the tabs or blanks of the file. */
const inSignsOf = (fileLines: ReadonlyArray<string>, editLines: ReadonlyArray<string>) => {
  const hasTabs = fileLines.some((line) => line.startsWith("\t"))
  const hasBlanks = fileLines.some((line) => line.startsWith(" "))
  return (indent: string): string => {
    if (hasTabs && /^ +$/.test(indent)) return "\t".repeat(Math.ceil(indent.length / stepOf(editLines, " ")))
    if (hasBlanks && !hasTabs) return indent.replaceAll("\t", " ".repeat(stepOf(fileLines, " ")))
    return indent
  }
}

/**
 * Indents the new lines like the file. A line that the edit keeps is copied from the file. Any other line is shifted
 * like the old line with the most similar indentation.
 */
const reindent = (
  newLines: ReadonlyArray<string>,
  oldLines: ReadonlyArray<string>,
  fileLines: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const kept = new Map<string, Array<string>>()
  const levels = new Map<string, string>()
  for (const [index, old] of oldLines.entries()) {
    const file = fileLines[index] ?? ""
    kept.set(old, [...(kept.get(old) ?? []), file])
    if (old.trim() !== "" && !levels.has(indentOf(old))) levels.set(indentOf(old), indentOf(file))
  }
  const shifts = [...levels].toSorted(([a], [b]) => a.length - b.length)
  const [least, leastInFile] = shifts[0] ?? ["", ""]
  const convert = inSignsOf(fileLines, [...oldLines, ...newLines])
  return newLines.map((line) => {
    const same = kept.get(line)
    if (same !== undefined) return (same.length > 1 ? same.shift() : same[0]) ?? line
    if (line.trim() === "") return ""
    const [indent, content] = [indentOf(line), line.trimStart()]
    const below = shifts.findLast(([old]) => indent.startsWith(old))
    if (below !== undefined) return below[1] + convert(indent.slice(below[0].length)) + content
    const missing = convert(least.slice(indent.length)).length
    return leastInFile.slice(0, Math.max(0, leastInFile.length - missing)) + content
  })
}

const placesLike =
  (plain: (line: string) => string) =>
  (text: string, replacement: Replacement): ReadonlyArray<TextPlace> => {
    const core = coreOf(replacement)
    const rewrite = (fileLines: ReadonlyArray<string>) => reindent(core.newLines, core.oldLines, fileLines)
    return linePlaces(text, core, (line, wanted) => plain(line) === plain(wanted), rewrite)
  }

const blankPlaces = placesLike((line) => line.trim())
/** Matches lines that differ only in characters that models often write for each other, such as typographic quotes. */
const signPlaces = placesLike((line) => plainSigns(line).trim())

const breaks = /\r\n|\n|\\n/g

/**
 * A text in which each line break is one character. The two characters `\n` of an escape also count as a line break.
 * `offsets` are the positions of the characters in the original text.
 */
const withBreaks = (text: string) => {
  const signs = text.match(/\r\n|\\n|[^]/g) ?? []
  const offsets = [0]
  for (const [at, sign] of signs.entries()) offsets.push((offsets[at] ?? 0) + sign.length)
  return { plain: signs.map((sign) => (sign.length > 1 ? "\n" : sign)).join(""), offsets }
}

const breaksOf = (text: string): ReadonlyArray<string> => text.match(breaks) ?? []

/**
 * The new text with the line breaks of this place of the file. Undefined if the place mixes kinds of line breaks, and
 * their number differs from that of the new text.
 */
const brokenLike = (newText: string, place: string): string | undefined => {
  const signs = breaksOf(place)
  const [first = "\n"] = signs
  if (signs.every((sign) => sign === first)) return newText.replace(breaks, () => first)
  if (breaksOf(newText).length !== signs.length) return undefined
  let index = -1
  return newText.replace(breaks, (sign) => signs[(index += 1)] ?? sign)
}

const breakPlaces = (text: string, { newText, oldText }: Replacement): ReadonlyArray<TextPlace> => {
  if (!text.includes("\\n") && !oldText.includes("\\n")) return []
  const wanted = withBreaks(withoutLineEnd(oldText)).plain
  if (!wanted.includes("\n") || isBlank(wanted)) return []
  const { offsets, plain } = withBreaks(text)
  return offsetsOf(plain, wanted).flatMap((at) => {
    const [from = 0, to = 0] = [offsets[at], offsets[at + wanted.length]]
    const written = brokenLike(withoutLineEnd(newText), text.slice(from, to))
    return written === undefined ? [] : [{ from, to, newText: written }]
  })
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", '"': '"', "\\": "\\" }

const withoutEscapes = (text: string): string =>
  text.replace(/\\([nt"\\])/g, (whole, sign: string) => escapes[sign] ?? whole)

/** Both texts with JSON escapes decoded; undefined if the old text has no escapes. */
const unescaped = ({ newText, oldText }: Replacement): Replacement | undefined => {
  const plain = withoutEscapes(oldText)
  return plain === oldText ? undefined : { oldText: plain, newText: withoutEscapes(newText) }
}

/** Matches a copied line number: `12: `, `12|`, a number and a tab, `path:12: ` and `path-12- `. */
const numbered = /^(?:\s*(\d+)(?::(?:\s|$)|\s?[|\u2502]\s?|\t|:(?=\S))|\S+?[:-](\d+)[:-](?:\s|$))/

/** Like `numbered`, but without the blank after the number. */
const bareNumber = /^(?:\s*\d+:|\S+?[:-]\d+[:-])/

const withoutSign = (text: string, sign: RegExp): string =>
  toLf(text)
    .split("\n")
    .map((line) => line.replace(sign, ""))
    .join("\n")

/** Removes the line numbers. Returns the text and the first number. Undefined if the numbers are not consecutive. */
export const withoutNumbers = (text: string): { readonly first: number; readonly text: string } | undefined => {
  const numbers = withoutLineEnd(toLf(text))
    .split("\n")
    .map((line) => numbered.exec(line))
    .map((match) => Number(match?.[1] ?? match?.[2] ?? Number.NaN))
  const [first = Number.NaN] = numbers
  const isCounted = numbers.every((number, index) => number === first + index)
  return isCounted ? { first, text: withoutSign(text, numbered) } : undefined
}

/** Both texts without copied line numbers; undefined unless the numbers of the old text are consecutive. */
const unnumbered = ({ newText, oldText }: Replacement): Replacement | undefined => {
  const old = withoutNumbers(oldText)
  if (old === undefined) return undefined
  /*
   * The blank after a number may belong to the line. The indentation of new lines without numbers shows whether it
   * does.
   */
  const bare = withoutSign(oldText, bareNumber)
  if (!numbered.test(newText) && indentOf(bare) === indentOf(newText)) return { oldText: bare, newText }
  return { oldText: old.text, newText: withoutSign(newText, numbered) }
}

const minVisible = 8

/** The notes with which a prompt marks a cut line: at the end of the line, and in its middle. */
const cutEnd = /\s*\((?:of )?\d+ characters\)$/
const cutMiddle = /^(.*?) \.\.\. \(\d+ of \d+ characters of the line not shown\) \.\.\. (.*)$/s

/** The beginning of a cut line, and the text after the cut. */
const visible = (line: string): { readonly seen: string; readonly tail: string } | undefined => {
  const [, head, tail = ""] = cutMiddle.exec(line) ?? []
  if (head !== undefined) return { seen: head, tail: tail.trimEnd() }
  const text = line.trimEnd().replace(cutEnd, "")
  if (text.endsWith("\u2026")) return { seen: text.slice(0, -1).trimEnd(), tail: "" }
  return text.endsWith("...") ? { seen: text.replace(/\.+$/, "").trimEnd(), tail: "" } : undefined
}

/** The visible beginning of a cut line, to be found in the file. Undefined if it is too short. */
const beginning = (line: string): string | undefined => {
  const text = visible(line)?.seen.trim() ?? ""
  return text.length >= minVisible ? text : undefined
}

/**
 * The places that fit an edit whose lines are cut. A cut line fits a line of the file with the same beginning. In the
 * new lines, the cut part is filled in from the file.
 */
const cutPlaces = (text: string, replacement: Replacement): ReadonlyArray<TextPlace> => {
  const core = coreOf(replacement)
  const { newLines, oldLines } = core
  const begins = new Map(oldLines.map((line) => [line, beginning(line)]))
  if (oldLines.every((line) => begins.get(line) === undefined)) return []
  const rewrite = (fileLines: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
    const old = oldLines.map((line, index) =>
      begins.get(line) === undefined ? line : indentOf(line) + (fileLines[index] ?? "").trim()
    )
    const cut = oldLines.flatMap((line, index) => {
      const seen = begins.get(line)
      return seen === undefined ? [] : [{ line, end: (fileLines[index] ?? "").trim().slice(seen.length) }]
    })
    const whole = newLines.flatMap((line) => {
      const visiblePart = visible(line)
      if (visiblePart === undefined) return [line]
      const same = cut.find((one) => one.line.trim() === line.trim()) ?? (cut.length === 1 ? cut[0] : undefined)
      return same === undefined || visible(same.line)?.tail !== visiblePart.tail ? [] : [visiblePart.seen + same.end]
    })
    return whole.length === newLines.length ? reindent(whole, old, fileLines) : undefined
  }
  const fits = (line: string, wanted: string): boolean => {
    const seen = begins.get(wanted)
    const tail = visible(wanted)?.tail ?? ""
    return seen === undefined
      ? line.trim() === wanted.trim()
      : line.trim().startsWith(seen) && line.trimEnd().endsWith(tail)
  }
  return linePlaces(text, core, fits, rewrite)
}

/**
 * The places of an old text whose last line is only the beginning of a line of the file, without a mark of the cut. The
 * new text must end with the same beginning, so that the rest of the line can stay.
 */
const beginningPlaces = (text: string, { newText, oldText }: Replacement): ReadonlyArray<TextPlace> => {
  const [old, now] = [withoutLineEnd(toLf(oldText)), withoutLineEnd(toLf(newText))]
  const [last = "", kept = ""] = [old, now].map((part) => part.split("\n").at(-1))
  if (last !== kept || last.trim().length < minVisible) return []
  return spellings(text).flatMap((spell) => {
    const wanted = spell(old)
    const starts = offsetsOf(text, wanted).filter((from) => isLineStart(text, from))
    return starts.map((from) => ({ from, to: from + wanted.length, newText: spell(now) }))
  })
}

const exactOrBlank = (text: string, replacement: Replacement | undefined): ReadonlyArray<TextPlace> => {
  if (replacement === undefined || isBlank(replacement.oldText)) return []
  const exact = exactPlaces(text, replacement)
  return exact.length > 0 ? exact : blankPlaces(text, replacement)
}

const ways: ReadonlyArray<(text: string, replacement: Replacement) => ReadonlyArray<TextPlace>> = [
  exactPlaces,
  blankPlaces,
  signPlaces,
  breakPlaces,
  (text, replacement) => exactOrBlank(text, unescaped(replacement)),
  (text, replacement) => exactOrBlank(text, unnumbered(replacement)),
  cutPlaces,
  beginningPlaces
]

const apart = (places: ReadonlyArray<TextPlace>): ReadonlyArray<TextPlace> => {
  let end = 0
  return places.filter(({ from, to }) => {
    const isApart = from >= end
    if (isApart) end = to
    return isApart
  })
}

/** The places of an edit. If `all` is true, a place that overlaps an earlier place is left out. */
export const findText = (text: string, replacement: Replacement, all: boolean): ReadonlyArray<TextPlace> => {
  for (const find of ways) {
    const places = find(text, replacement)
    if (places.length > 0) return all ? apart(places) : places
  }
  return []
}
