/** Numbers lines for models as `1748: text`, so that they copy numbers instead of counting. */

/** Numbers lines, beginning with the number `first`. Carriage returns at line ends are removed. */
export const numberLines = (lines: ReadonlyArray<string>, first: number): ReadonlyArray<string> =>
  lines.map((line, index) => {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line
    return `${first + index}:${text === "" ? "" : ` ${text}`}`
  })

/** Reads a line that `numberLines` wrote; undefined for any other line. */
export const readNumbered = (line: string): { readonly number: number; readonly text: string } | undefined => {
  const match = /^(\d+):(?: (.*))?$/s.exec(line)
  return match === null ? undefined : { number: Number(match[1]), text: match[2] ?? "" }
}
