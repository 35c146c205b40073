/**
 * Where the old text of an edit stands in a file. It is looked for exactly first, and then in the ways in which models
 * change a text that they copy: other blanks, escaped line breaks, line numbers, a cut line. Each way counts only when it
 * leaves one place.
 */

/** A range of characters of the file and what takes its place. */
export interface TextPlace {
  readonly from: number
  readonly to: number
  readonly newText: string
}

/** The places that one way found; `note` says in which way, when it is not the exact one. */
export interface TextMatch {
  readonly places: ReadonlyArray<TextPlace>
  readonly note?: string
}

interface Sought {
  readonly oldText: string
  readonly newText: string
}

const toLf = (text: string): string => text.replaceAll("\r\n", "\n")
const toCrlf = (text: string): string => toLf(text).replaceAll("\n", "\r\n")

const count = (text: string, part: string): number => text.split(part).length - 1

/** How line ends of the edit may be written in this text: like its own, or in both ways when it mixes them. */
export const spellings = (text: string): ReadonlyArray<(part: string) => string> => {
  const crlf = count(text, "\r\n")
  if (crlf === 0) return [toLf]
  return crlf === count(text, "\n") ? [toCrlf] : [(part) => part, toCrlf]
}

/** Where the part occurs; `step` is the distance from a match to the next search. */
export const offsetsOf = (text: string, part: string, step: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + step)) found.push(at)
  return found
}

/** The number of the line of an offset, from 1. */
export const lineAt = (text: string, offset: number): number => count(text.slice(0, offset), "\n") + 1

const isLineStart = (text: string, offset: number): boolean => offset === 0 || text[offset - 1] === "\n"

const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, "")

/** Whole lines match where a line begins, when there is such a place; the last line of a file may lack its line end. */
const exactPlaces = (text: string, { newText, oldText }: Sought, step?: number): ReadonlyArray<TextPlace> => {
  for (const spell of spellings(text)) {
    const sought = spell(oldText)
    const offsets = offsetsOf(text, sought, step ?? sought.length)
    const atLines = sought.endsWith("\n") ? offsets.filter((offset) => isLineStart(text, offset)) : []
    const found = atLines.length > 0 ? atLines : offsets
    if (found.length > 0) return found.map((from) => ({ from, to: from + sought.length, newText: spell(newText) }))
    const last = withoutLineEnd(sought)
    if (last === sought || last === "" || !text.endsWith(last)) continue
    const from = text.length - last.length
    if (isLineStart(text, from)) return [{ from, to: text.length, newText: withoutLineEnd(spell(newText)) }]
  }
  return []
}

interface FileLine {
  readonly from: number
  readonly to: number
  readonly text: string
}

const linesOf = (text: string): ReadonlyArray<FileLine> => {
  let from = 0
  return text.split("\n").map((line) => {
    const found = { from, to: from + line.length, text: line.endsWith("\r") ? line.slice(0, -1) : line }
    from = found.to + 1
    return found
  })
}

const withoutBlankEnds = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const first = lines.findIndex((line) => line.trim() !== "")
  const last = lines.findLastIndex((line) => line.trim() !== "")
  return first === -1 ? [] : lines.slice(first, last + 1)
}

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? ""

/** Blanks for each step of the file, when the edit is indented by blanks and the file by tabs, or the other way round. */
const converted = (indent: string, files: ReadonlyArray<string>, edits: ReadonlyArray<string>): string => {
  const fileTabs = files.some((line) => line.startsWith("\t"))
  const widths = edits.map((line) => indentOf(line).length).filter((width) => width > 0)
  const step = Math.min(...widths, 8)
  if (fileTabs && indent.includes(" ") && !indent.includes("\t")) return "\t".repeat(Math.round(indent.length / step))
  if (fileTabs || !indent.includes("\t")) return indent
  const fileStep = Math.min(...files.map((line) => indentOf(line).length).filter((width) => width > 0), 8)
  return indent.replaceAll("\t", " ".repeat(fileStep))
}

/** The new lines with the indentation of the file: a line is shifted as the old line with the nearest indentation is. */
const reindent = (
  newLines: ReadonlyArray<string>,
  oldLines: ReadonlyArray<string>,
  fileLines: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const levels = new Map<string, string>()
  const same = new Map<string, string>()
  for (const [index, old] of oldLines.entries()) {
    const file = fileLines[index] ?? ""
    if (!same.has(old)) same.set(old, file)
    if (old.trim() !== "" && !levels.has(indentOf(old))) levels.set(indentOf(old), indentOf(file))
  }
  const known = [...levels].toSorted(([a], [b]) => a.length - b.length)
  return newLines.map((line) => {
    const kept = same.get(line)
    if (kept !== undefined) return kept
    if (line.trim() === "") return line.trim()
    const indent = indentOf(line)
    const below = known.findLast(([old]) => indent.startsWith(old))
    if (below !== undefined) {
      return (
        below[1] + converted(indent.slice(below[0].length), fileLines, [...oldLines, ...newLines]) + line.trimStart()
      )
    }
    const [least, base] = known[0] ?? ["", ""]
    const less = converted(least.slice(indent.length), fileLines, [...oldLines, ...newLines])
    return base.slice(0, Math.max(0, base.length - less.length)) + line.trimStart()
  })
}

type Fits = (line: string, sought: string) => boolean

/** Places of whole lines, blank lines around them left out. */
const linePlaces = (
  text: string,
  { newText, oldText }: Sought,
  fits: Fits,
  rewrite: (newLines: ReadonlyArray<string>, fileLines: ReadonlyArray<string>) => ReadonlyArray<string> | undefined
): ReadonlyArray<TextPlace> => {
  const sought = withoutBlankEnds(toLf(oldText).split("\n"))
  if (sought.length === 0) return []
  const lines = linesOf(text)
  const places: Array<TextPlace> = []
  for (let at = 0; at + sought.length <= lines.length; at += 1) {
    if (!sought.every((line, index) => fits(lines[at + index]?.text ?? "", line))) continue
    const found = lines.slice(at, at + sought.length)
    const [first, last] = [found[0], found.at(-1)]
    if (first === undefined || last === undefined) continue
    const isRemoval = newText.trim() === ""
    const rewritten = rewrite(
      withoutBlankEnds(toLf(newText).split("\n")),
      found.map((line) => line.text)
    )
    if (rewritten === undefined) return []
    const lineEnd = text[last.to - 1] === "\r" || text.includes("\r\n") ? "\r\n" : "\n"
    const isWhole = isRemoval && oldText.endsWith("\n") && last.to < text.length
    const to = isWhole ? last.to + 1 : text[last.to - 1] === "\r" ? last.to - 1 : last.to
    places.push({ from: first.from, to, newText: rewritten.join(lineEnd) })
  }
  return places
}

const blankPlaces = (text: string, sought: Sought): ReadonlyArray<TextPlace> => {
  const oldLines = withoutBlankEnds(toLf(sought.oldText).split("\n"))
  return linePlaces(
    text,
    sought,
    (line, one) => line.trim() === one.trim(),
    (newLines, fileLines) => reindent(newLines, oldLines, fileLines)
  )
}

const breaks = /\r\n|\n|\\n/g

/** The text with each line break, real or escaped, as one character, and the offset of each of its characters. */
const unescaped = (text: string) => {
  const offsets: Array<number> = []
  let plain = ""
  let at = 0
  const copy = (end: number): void => {
    for (let from = at; from < end; from += 1) offsets.push(from)
    plain += text.slice(at, end)
  }
  for (const match of text.matchAll(breaks)) {
    copy(match.index)
    offsets.push(match.index)
    plain += "\n"
    at = match.index + match[0].length
  }
  copy(text.length)
  offsets.push(text.length)
  return { plain, offsets }
}

const kindsOf = (text: string): ReadonlyArray<string> => [...text.matchAll(breaks)].map(([sign]) => sign)

/** The new text with its line breaks written as those of the place; nothing when that is not clear. */
const likeIn = (newText: string, place: string): string | undefined => {
  const kinds = kindsOf(place)
  const own = kindsOf(newText)
  const [first = "\n"] = kinds
  let index = -1
  if (kinds.every((kind) => kind === first)) return newText.replace(breaks, () => first)
  if (own.length !== kinds.length) return undefined
  return newText.replace(breaks, () => kinds[(index += 1)] ?? "\n")
}

const escapedPlaces = (text: string, { newText, oldText }: Sought): ReadonlyArray<TextPlace> => {
  const sought = unescaped(withoutLineEnd(oldText)).plain
  if (!sought.includes("\n") || sought.trim() === "") return []
  const { offsets, plain } = unescaped(text)
  return offsetsOf(plain, sought, 1).flatMap((at) => {
    const [from = 0, to = 0] = [offsets[at], offsets[at + sought.length]]
    const written = likeIn(withoutLineEnd(newText), text.slice(from, to))
    return written === undefined ? [] : [{ from, to, newText: written }]
  })
}

const numbered = /^(?:\s*(\d+)(?:[:|]\s|[:|]$|\t|\s*[|\u2502]\s?|:(?=\S))|\S+?[:-](\d+)[:-](?:\s|$))/

/** The text without the numbers that were copied with its lines; nothing unless every line has the next number. */
const withoutNumbers = ({ newText, oldText }: Sought): Sought | undefined => {
  const lines = withoutLineEnd(toLf(oldText)).split("\n")
  const found = lines.map((line) => numbered.exec(line))
  const numbers = found.map((match) => Number(match?.[1] ?? match?.[2] ?? Number.NaN))
  const first = numbers[0] ?? Number.NaN
  if (!numbers.every((number, index) => number === first + index)) return undefined
  const strip = (text: string): string =>
    toLf(text)
      .split("\n")
      .map((line) => line.replace(numbered, ""))
      .join("\n")
  return { oldText: strip(oldText), newText: strip(newText) }
}

const cutEnd = /\s*(?:\u2026|\.{3})\s*$/
const minVisible = 8

const cutPlaces = (text: string, sought: Sought): ReadonlyArray<TextPlace> => {
  const oldLines = withoutBlankEnds(toLf(sought.oldText).split("\n"))
  const isCut = (line: string): boolean => cutEnd.test(line) && line.replace(cutEnd, "").trim().length >= minVisible
  if (!oldLines.some(isCut)) return []
  const visible = (line: string): string => line.replace(cutEnd, "").trim()
  const rewrite = (newLines: ReadonlyArray<string>, fileLines: ReadonlyArray<string>) => {
    const cut = oldLines.flatMap((line, index) => {
      const file = fileLines[index] ?? ""
      return isCut(line) ? [{ line: line.trim(), tail: file.trim().slice(visible(line).length) }] : []
    })
    const completed = newLines.map((line) => {
      if (!cutEnd.test(line)) return line
      const same = cut.find((one) => one.line === line.trim()) ?? (cut.length === 1 ? cut[0] : undefined)
      return same === undefined ? undefined : line.replace(cutEnd, "") + same.tail
    })
    const whole = completed.flatMap((line) => line ?? [])
    const complete = oldLines.map((line, index) =>
      isCut(line) ? indentOf(line) + (fileLines[index] ?? "").trim() : line
    )
    return whole.length === newLines.length ? reindent(whole, complete, fileLines) : undefined
  }
  const fits: Fits = (line, one) => (isCut(one) ? line.trim().startsWith(visible(one)) : line.trim() === one.trim())
  return linePlaces(text, sought, fits, rewrite)
}

/** The places of an edit, found in the first way that finds any; there are none when no way does. */
export const findText = (text: string, sought: Sought, overlapping: boolean): TextMatch => {
  const exact = exactPlaces(text, sought, overlapping ? 1 : undefined)
  if (exact.length > 0) return { places: exact }
  const blanks = blankPlaces(text, sought)
  if (blanks.length > 0) return { places: blanks, note: "matched with other blanks; those of the file are kept" }
  const escaped = escapedPlaces(text, sought)
  if (escaped.length > 0) return { places: escaped, note: "matched with line breaks and \\n exchanged" }
  const plain = withoutNumbers(sought)
  if (plain !== undefined) {
    const [found, moved] = [exactPlaces(text, plain, 1), blankPlaces(text, plain)]
    const places = found.length > 0 ? found : moved
    if (places.length > 0) return { places, note: "matched without the line numbers" }
  }
  return { places: cutPlaces(text, sought), note: "matched a cut line by its beginning" }
}
