/** Lines with their numbers, as models see files: `1748: text`, so that a link to a line is copied and not counted. */

/** Puts the number before each line; `first` is the number of the first one. A line end of Windows is left out. */
export const numberLines = (lines: ReadonlyArray<string>, first: number): ReadonlyArray<string> =>
  lines.map((line, index) => {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line
    return `${first + index}:${text === "" ? "" : ` ${text}`}`
  })

/** Reads a line that `numberLines` wrote. */
export const readNumbered = (line: string): { readonly number: number; readonly text: string } | undefined => {
  const match = /^(\d+):(?: (.*))?$/s.exec(line)
  return match === null ? undefined : { number: Number(match[1]), text: match[2] ?? "" }
}
