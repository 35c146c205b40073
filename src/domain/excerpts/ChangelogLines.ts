/**
 * Chooses the lines of a changelog that show where a new entry goes: the headings of the newest release, and the beginning
 * and the end of the entries below each.
 */

interface Heading {
  readonly index: number
  readonly depth: number
  readonly text: string
}

const underline = /^(?:=+|-+|~+|\^+)$/

/**
 * The headings of a changelog, with a mark before (`## 1.2.0`) or a line of signs below (`=====`, also in
 * reStructuredText).
 */
const headingsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Heading> => {
  const kinds: Array<string> = []
  return lines.flatMap((line, index) => {
    const [, marks, text = ""] = /^(#{1,6})\s+(.*)$/.exec(line) ?? []
    if (marks !== undefined) return [{ index, depth: marks.length, text }]
    const below = (lines[index + 1] ?? "").trimEnd()
    if (line.trim() === "" || below.length < line.trimEnd().length || !underline.test(below)) return []
    const kind = below.slice(0, 1)
    if (!kinds.includes(kind)) kinds.push(kind)
    return [{ index, depth: kinds.indexOf(kind) + 1, text: line }]
  })
}

/** The heading of the newest release, the headings above it, and the headings of its sections. */
const newestRelease = (headings: ReadonlyArray<Heading>): ReadonlyArray<Heading> => {
  const first = headings.findIndex(({ depth }, at) => (headings[at + 1]?.depth ?? 0) <= depth)
  const { depth: deepest = 1, text = "" } = headings[first] ?? {}
  const isRelease = /\d+\.\d+|unreleased/i.test(text)
  const end = headings.findIndex(({ depth }, at) => at > first && (isRelease || depth < deepest))
  return end < 0 ? headings : headings.slice(0, end)
}

/**
 * The indexes of the lines that show where a new entry belongs: headings, then the first and the last line below each,
 * then the other entries.
 */
const newestLines = (lines: ReadonlyArray<string>) => {
  const all = headingsOf(lines)
  const release = newestRelease(all)
  const hasText = (index: number): boolean => (lines[index] ?? "").trim() !== ""
  const headings = release.flatMap(({ index }) =>
    underline.test(lines[index + 1] ?? "") ? [index, index + 1] : [index]
  )
  const entries = release.map(({ index }, at) => {
    const end = all[at + 1]?.index ?? lines.length
    return [...lines.keys()].slice(index + 1, end).filter((line) => !headings.includes(line) && hasText(line))
  })
  const ends = [
    ...entries.flatMap((indexes) => indexes.slice(0, 1)),
    ...entries.flatMap((indexes) => indexes.slice(-1))
  ]
  return { headings, ends, entries: entries.flat() }
}

/** The indexes of all lines, the most helpful first. */
export const changelogLines = (text: string): ReadonlyArray<number> => {
  const lines = text.split(/\r?\n/)
  const { ends, entries, headings } = newestLines(lines)
  return [...new Set([...headings, ...ends, ...entries, ...lines.keys()])]
}
