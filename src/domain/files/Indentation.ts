/**
 * Gives the new lines of an edit the indentation of the file, when the old lines stand in it with another one.
 */

export const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? ""

const stepOf = (lines: ReadonlyArray<string>, sign: string): number => {
  const widths = lines.map(indentOf).filter((indent) => indent.startsWith(sign))
  return widths.reduce((least, { length }) => Math.min(least, length), 8)
}

/** Further indentation in the signs of the file: a tab for each step of blanks, or the other way round. */
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
 * The new lines as they belong between these lines of the file. A line that stays stays as it is in the file; another one
 * is shifted as the old line is whose indentation is nearest to its own.
 */
export const reindent = (
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
  const known = [...levels].toSorted(([a], [b]) => a.length - b.length)
  const [least, leastInFile] = known[0] ?? ["", ""]
  const convert = inSignsOf(fileLines, [...oldLines, ...newLines])
  return newLines.map((line) => {
    const same = kept.get(line)
    if (same !== undefined) return (same.length > 1 ? same.shift() : same[0]) ?? line
    if (line.trim() === "") return ""
    const [indent, content] = [indentOf(line), line.trimStart()]
    const below = known.findLast(([old]) => indent.startsWith(old))
    if (below !== undefined) return below[1] + convert(indent.slice(below[0].length)) + content
    const missing = convert(least.slice(indent.length)).length
    return leastInFile.slice(0, Math.max(0, leastInFile.length - missing)) + content
  })
}
