/**
 * Reads unified diffs that models write. Only the signs before the lines count, because hunk counts are often wrong and
 * headers incomplete.
 */

/** One hunk: the lines to find in the file, and their replacement. */
interface DiffHunk {
  readonly at: number
  readonly oldLines: Array<string>
  readonly newLines: Array<string>
}

/** The hunks of one file. `from` or `to` is absent if the header lacks it or says `/dev/null`. */
interface FileDiff {
  readonly at: number
  from?: string
  to?: string
  isNew: boolean
  isDeleted: boolean
  readonly hunks: Array<DiffHunk>
}

const header = /^(---|\+\+\+) (?:"([^"]+)"|([^\t]+?))(?:\t.*)?\s*$/
const gitHeader = /^diff --git (?:a\/)?(\S+) (?:b\/)?(\S+)$/
/** The header of a file in a patch format without line numbers. */
const patchHeader = /^\*\*\* (Add|Update|Delete) File: (\S.*?)\s*$/
const patchMove = /^\*\*\* Move to: (\S.*?)\s*$/
const patchMark = /^\*\*\* (?:Begin Patch|End Patch|End of File)\s*$/
const between =
  /^(?:index [\da-f]+\.\.|(?:new|old|deleted) (?:file )?mode |similarity index |rename (?:from|to) |Index: )/

const isHeader = (first: string, second: string): boolean => /^--- \S/.test(first) && /^\+\+\+ \S/.test(second)

export const isDiff = (lines: ReadonlyArray<string>): boolean => {
  const [first = "", second = ""] = lines.filter((line) => line.trim() !== "")
  return (
    gitHeader.test(first) ||
    /^\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: )/.test(first) ||
    isHeader(first, second)
  )
}

export const diffEnd = (lines: ReadonlyArray<string>, from: number): number => {
  let end = from
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? ""
    if (line.trim() === "") continue
    if (!/^(?:[-+ @\\]|\*\*\* |diff --git )/.test(line) && !between.test(line)) break
    end = at + 1
  }
  return end
}

/** The files that a diff changes. Text without a header counts as one file without a path. */
export const readDiff = (lines: ReadonlyArray<string>): ReadonlyArray<FileDiff> => {
  const files: Array<FileDiff> = []
  let hunk: DiffHunk | undefined
  /** The number of blank lines before the current line. If the hunk ends now, these blank lines do not belong to it. */
  let blank = 0
  const close = (): void => {
    for (const part of [hunk?.oldLines, hunk?.newLines]) part?.splice(part.length - blank)
    hunk = undefined
    blank = 0
  }
  const open = (at: number, names: Partial<FileDiff> = {}): FileDiff => {
    close()
    const file: FileDiff = { at, isNew: false, isDeleted: false, hunks: [], ...names }
    files.push(file)
    return file
  }
  const begin = (at: number): DiffHunk => {
    const begun: DiffHunk = { at, oldLines: [], newLines: [] }
    const file = files.at(-1) ?? open(at)
    file.hunks.push(begun)
    hunk = begun
    return begun
  }
  const name = (file: FileDiff, at: number): void => {
    const [, sign, quoted, plain = ""] = header.exec(lines[at] ?? "") ?? []
    const path = quoted ?? plain
    if (path === "/dev/null") file[sign === "---" ? "isNew" : "isDeleted"] = true
    else file[sign === "---" ? "from" : "to"] = path.replace(/^[ab]\//, "")
  }
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ""
    const git = gitHeader.exec(line)
    const patch = patchHeader.exec(line)
    const [, movedTo] = patchMove.exec(line) ?? []
    const moved = files.at(-1)
    if (git !== null) {
      open(at, { from: git[1] ?? "", to: git[2] ?? "" })
    } else if (patch !== null) {
      const [, what, to = ""] = patch
      open(at, { to, isNew: what === "Add", isDeleted: what === "Delete" })
    } else if (movedTo !== undefined && moved?.to !== undefined) {
      moved.from = moved.to
      moved.to = movedTo
    } else if (patchMark.test(line)) close()
    // A removed line `--- a` looks like the first line of a header. Only a header is followed by `+++ `.
    else if (isHeader(line, lines[at + 1] ?? "")) {
      const last = files.at(-1)
      const file = last === undefined || last.hunks.length > 0 || hunk !== undefined ? open(at) : last
      name(file, at)
      name(file, at + 1)
      at += 1
    } else if (line.startsWith("@@")) {
      close()
      begin(at)
    } else if (hunk === undefined && (between.test(line) || line.trim() === "")) continue
    else if (!line.startsWith("\\")) {
      const current = hunk ?? begin(at)
      const text = /^[-+ ]/.test(line) ? line.slice(1) : line
      if (!line.startsWith("+")) current.oldLines.push(text)
      if (!line.startsWith("-")) current.newLines.push(text)
      blank = line === "" ? blank + 1 : 0
    }
  }
  close()
  return files
}
