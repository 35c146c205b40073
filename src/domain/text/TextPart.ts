/**
 * The part of a text that a model may be shown, with a note on what is missing.
 */

/** Where the lines stand in their file. */
export interface LinePlace {
  /** The number of the first line, counted from 1. */
  readonly first: number
  /** How many lines the file has, where that is known. */
  readonly of?: number
}

/**
 * The first lines of a text, in at most `maxCharacters` characters, or the beginning of a line that is longer. A note after
 * them says which lines they are and tells the model to read on with a parameter `start_line`; all lines have none.
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
  const cut = line.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, "")
  return `${cut}\n\n(The first ${cut.length} of ${line.length} characters of line ${first}${total}. Search it for the rest.)`
}
