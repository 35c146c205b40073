/**
 * Parts of a text that fit, with a word about what is missing. Called by tools that return texts.
 */

/** Where the lines stand in their file. */
export interface LinePlace {
  /** The number of the first line, counted from 1. */
  readonly first: number
  /** How many lines the file has, where that is known. */
  readonly of?: number
}

/** As many of the lines as `most` characters hold, at least a part of one; a note says how to read on. */
export const fitLines = (lines: ReadonlyArray<string>, most: number, { first, of }: LinePlace): string => {
  let end = 0
  for (let length = -1; end < lines.length; end++) {
    length += (lines[end] ?? "").length + 1
    if (length > most) break
  }
  if (end === lines.length) return lines.join("\n")
  const total = of === undefined ? "" : ` of ${of}`
  if (end > 0) {
    const last = first + end - 1
    return `${lines.slice(0, end).join("\n")}\n\n(Lines ${first} to ${last}${total}. Read on with start_line ${last + 1}.)`
  }
  const line = lines[0] ?? ""
  const cut = line.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")
  return `${cut}\n\n(The first ${cut.length} of ${line.length} characters of line ${first}${total}. Search it for the rest.)`
}
