/** Summarises a unified diff in one line for each file, for prompts without room for the diff. */

interface DiffFile {
  readonly path: string
  readonly places: Array<string>
  added: number
  removed: number
}

const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/
const header = /^diff --git a\/.* b\/(.*)$/
/** The note at the end of a shortened diff. */
const shortened = /^\(\d+ more lines of the diff are not shown\)$/

const pathOf = (written: string): string => written.replace(/\t.*$/, "").replace(/^[ab]\//, "")

const isDiff = (lines: ReadonlyArray<string>): boolean => {
  const first = lines.findIndex((line) => hunk.test(line))
  return first >= 2 && lines[first - 1]?.startsWith("+++ ") === true && lines[first - 2]?.startsWith("--- ") === true
}

const fileText = ({ added, path, places, removed }: DiffFile): string => {
  const more = places.length > 20 ? ` and ${places.length - 20} more places` : ""
  return `${path}: +${added} -${removed}${places.length === 0 ? "" : `, at ${places.slice(0, 20).join(", ")}${more}`}`
}

/** One line for each file, such as `src/a.ts: +3 -1, at lines 10 to 14`; undefined for text that is no diff. */
export const diffSummary = (text: string): ReadonlyArray<string> | undefined => {
  const lines = text.split("\n")
  if (!isDiff(lines)) return undefined
  const files: Array<DiffFile> = []
  const begin = (path: string): void => {
    if (files.at(-1)?.path !== path) files.push({ path, places: [], added: 0, removed: 0 })
  }
  for (const [index, line] of lines.entries()) {
    const [, git] = header.exec(line) ?? []
    const next = lines[index + 1] ?? ""
    const place = hunk.exec(line)
    const file = files.at(-1)
    if (git !== undefined) begin(git)
    else if (line.startsWith("--- ") && next.startsWith("+++ ")) {
      begin(pathOf((next.startsWith("+++ /dev/null") ? line : next).slice(4)))
    } else if (line.startsWith("+++ ") && (lines[index - 1] ?? "").startsWith("--- ")) continue
    else if (file === undefined) continue
    else if (place !== null) {
      const from = Number(place[1])
      const to = from + Math.max(1, Number(place[2] ?? 1)) - 1
      file.places.push(from === to ? `line ${from}` : `lines ${from} to ${to}`)
    } else if (line.startsWith("+")) file.added += 1
    else if (line.startsWith("-")) file.removed += 1
  }
  const last = lines.at(-1) ?? ""
  return [...files.map(fileText), ...(shortened.test(last) ? [last] : [])]
}
