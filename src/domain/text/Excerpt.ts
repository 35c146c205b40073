/** Shortens texts for prompts at line ends and paragraph ends, with a note of what is left out. */

/** The marker of the fence that is open after the line, or an empty text. `open` is the marker before the line. */
const fenceAfter = (open: string, line: string): string => {
  const marker = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line)
  if (marker === null) return open
  const [, run = "", rest = ""] = marker
  if (open === "") return run.startsWith("`") && rest.includes("`") ? "" : run
  return run[0] === open[0] && run.length >= open.length && rest.trim() === "" ? "" : open
}

/** The end of the last paragraph that fits; 0 if no paragraph fits. A blank line in a fence ends no paragraph. */
const lastParagraphEnd = (text: string, max: number): number => {
  let end = 0
  let offset = 0
  let open = ""
  for (const line of text.split("\n")) {
    if (offset > max) break
    if (open === "" && line.trim() === "") end = offset
    open = fenceAfter(open, line)
    offset += line.length + 1
  }
  return end
}

/** The end of the last whole line that fits, or else of the last whole character. */
const lastLineEnd = (text: string, max: number): number => {
  const end = text.lastIndexOf("\n", max)
  return end > 0 ? end : cutAt(text, max).length
}

/** Cuts a text of more than `max` characters at the end of a paragraph. `omittedCharacters` is 0 if nothing is cut. */
export const cutAtParagraph = (
  text: string,
  max: number
): { readonly text: string; readonly omittedCharacters: number } => {
  if (text.length <= max) return { text, omittedCharacters: 0 }
  const kept = text.slice(0, lastParagraphEnd(text, max) || lastLineEnd(text, max)).trimEnd()
  return { text: kept, omittedCharacters: text.length - kept.length }
}

export const firstLines = (text: string, max: number): { readonly text: string; readonly omittedLines: number } => {
  const lines = text.replace(/\n$/, "").split("\n")
  return lines.length <= max
    ? { text, omittedLines: 0 }
    : { text: `${lines.slice(0, max).join("\n")}\n`, omittedLines: lines.length - max }
}

/** Cuts a text to about `limit` characters, at a line end if possible, with a note of what is left out. */
export const shorten = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  /* The note contains a number, whose digits count towards the limit. */
  const cut = text.slice(0, Math.max(0, limit - String(limit).length + 1))
  const lineEnd = cut.lastIndexOf("\n")
  const kept = lineEnd > limit / 2 ? cut.slice(0, lineEnd) : cut
  return `${kept}\n[only the first ${kept.length} of ${text.length} characters are shown]`
}

/** Divides the budget equally among texts. What short texts do not need goes to longer texts. */
export const shares = (lengths: ReadonlyArray<number>, budget: number): ReadonlyArray<number> => {
  const order = lengths.map((length, index) => ({ length, index })).sort((a, b) => a.length - b.length)
  const result = lengths.map(() => 0)
  let budgetLeft = Math.max(0, budget)
  order.forEach(({ length, index }, position) => {
    const share = Math.min(length, Math.floor(budgetLeft / (order.length - position)))
    result[index] = share
    budgetLeft -= share
  })
  return result
}

/**
 * Divides the budget as `shares` does, but gives nothing to texts whose share would be too small. While several texts
 * would get less than their minimum in `least`, the last of them gets nothing. One whole function helps more than a few
 * lines of several functions.
 */
export const usefulShares = (
  lengths: ReadonlyArray<number>,
  budget: number,
  least: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const wanted = [...lengths]
  for (;;) {
    const limits = shares(wanted, budget)
    const short = limits.flatMap((limit, index) =>
      limit > 0 && limit < Math.min(least[index] ?? 0, wanted[index] ?? 0) ? [index] : []
    )
    const last = short.at(-1)
    if (last === undefined || short.length < 2) return limits
    wanted[last] = 0
  }
}

/** Cuts a text after `length` characters, but never inside a surrogate pair. */
export const cutAt = (text: string, length: number): string =>
  text.slice(0, Math.max(0, length)).replace(/[\uD800-\uDBFF]$/, "")

/** Cuts a text to `most` characters, with an ellipsis at the end. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${cutAt(text, most - 1)}…`

export interface ListExcerpt {
  readonly text: string
  readonly shownEntries: number
}

/**
 * Lists entries in at most `limit` characters. `rest` returns a line about the omitted entries. This line is added even
 * beyond the limit.
 */
export const listWithin = (
  entries: ReadonlyArray<string>,
  limit: number,
  rest: (count: number) => string
): ListExcerpt => {
  const all = entries.join("\n")
  if (all.length <= limit) return { text: all, shownEntries: entries.length }
  const note = (shown: number): string => rest(entries.length - shown)
  let [count, length] = [0, 0]
  for (const entry of entries) {
    const next = length + entry.length + 1
    if (next + note(count + 1).length > limit) break
    length = next
    count += 1
  }
  return { text: [...entries.slice(0, count), note(count)].join("\n"), shownEntries: count }
}

/** The position of some lines in their file. */
export interface LinePlace {
  /** The number of the first line, from 1. */
  readonly first: number
  /** The number of lines in the file, if known. */
  readonly of?: number
}

/**
 * The first lines, in at most `maxCharacters` characters. If even the first line is longer, the result is its
 * beginning. If lines are omitted, a note names the shown lines, and asks the model to continue with the parameter
 * `start_line`.
 *
 * ```ts
 * fitLines(["one", "two"], 5, { first: 1, of: 2 }) // "one\n\n(Lines 1 to 1 of 2. Read on with start_line 2.)"
 * ```
 */
export const fitLines = (lines: ReadonlyArray<string>, maxCharacters: number, { first, of }: LinePlace): string => {
  let end = 0
  for (let length = -1; end < lines.length; end++) {
    length += (lines[end] ?? "").length + 1
    if (length > maxCharacters) break
  }
  if (end === lines.length) return lines.join("\n")
  const total = of === undefined ? "" : ` of ${of}`
  if (end > 0) {
    const last = first + end - 1
    return `${lines.slice(0, end).join("\n")}\n\n(Lines ${first} to ${last}${total}. Read on with start_line ${last + 1}.)`
  }
  const line = lines[0] ?? ""
  const cut = cutAt(line, maxCharacters)
  return `${cut}\n\n(The first ${cut.length} of ${line.length} characters of line ${first}${total}. Search it for the rest.)`
}
