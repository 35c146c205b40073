/** Numbers lines for models as `1748: text`. Models can then copy line numbers instead of counting lines. */

/** Numbers lines. The first line gets the number `first`. Carriage returns at line ends are removed. */
export const numberLines = (lines: ReadonlyArray<string>, first: number): ReadonlyArray<string> =>
  lines.map((line, index) => {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line
    return `${first + index}:${text === "" ? "" : ` ${text}`}`
  })

/** Reads a line that `numberLines` wrote. Undefined for any other line. */
export const readNumbered = (line: string): { readonly number: number; readonly text: string } | undefined => {
  const match = /^(\d+):(?: (.*))?$/s.exec(line)
  return match === null ? undefined : { number: Number(match[1]), text: match[2] ?? "" }
}
