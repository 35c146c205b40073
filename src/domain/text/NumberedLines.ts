/**
 * Numbers lines in the form that models see: `1748: text`. Models then copy line numbers instead of counting.
 */

/** Numbers the lines from `first`, and removes carriage returns. */
export const numberLines = (lines: ReadonlyArray<string>, first: number): ReadonlyArray<string> =>
  lines.map((line, index) => {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line
    return `${first + index}:${text === "" ? "" : ` ${text}`}`
  })

/** Reads a line of `numberLines`. */
export const readNumbered = (line: string): { readonly number: number; readonly text: string } | undefined => {
  const match = /^(\d+):(?: (.*))?$/s.exec(line)
  return match === null ? undefined : { number: Number(match[1]), text: match[2] ?? "" }
}
