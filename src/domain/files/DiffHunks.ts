/**
 * Reads unified diffs as models write them: the counts of their hunks are often wrong and their headers incomplete, so
 * only the signs before the lines count.
 */

/** One hunk: the lines that it finds in the file, and what takes their place. */
export interface DiffHunk {
  /** The index of its first line in the text that was read. */
  readonly at: number
  readonly oldLines: ReadonlyArray<string>
  readonly newLines: ReadonlyArray<string>
}

/** The hunks of one file; `from` and `to` are absent for `/dev/null` and where no header names them. */
export interface FileDiff {
  readonly at: number
  readonly from?: string
  readonly to?: string
  readonly isNew: boolean
  readonly isDeleted: boolean
  readonly hunks: ReadonlyArray<DiffHunk>
}

interface Draft {
  at: number
  from?: string
  to?: string
  isNew: boolean
  isDeleted: boolean
  hunks: Array<{ at: number; oldLines: Array<string>; newLines: Array<string> }>
}

const header = /^(---|\+\+\+) (?:"([^"]+)"|([^\t]+?))(?:\t.*)?\s*$/
const gitHeader = /^diff --git (?:a\/)?(\S+) (?:b\/)?(\S+)$/
/** How another form of patch begins a file; it has no line numbers. */
const patchHeader = /^\*\*\* (Add|Update|Delete) File: (\S.*?)\s*$/
const patchMark = /^\*\*\* (?:Begin Patch|End Patch|End of File)\s*$/
const between =
  /^(?:index [\da-f]+\.\.|(?:new|old|deleted) (?:file )?mode |similarity index |rename (?:from|to) |Index: )/

const withoutPrefix = (path: string): string => path.replace(/^[ab]\//, "")

const isHeader = (first: string, second: string): boolean => /^--- \S/.test(first) && /^\+\+\+ \S/.test(second)

/** True when the lines begin as a diff does, whatever the fence calls them. */
export const isDiff = (lines: ReadonlyArray<string>): boolean => {
  const [first = "", second = ""] = lines.filter((line) => line.trim() !== "")
  return (
    gitHeader.test(first) ||
    /^\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: )/.test(first) ||
    isHeader(first, second)
  )
}

/** The index of the line after a diff that stands without a fence. */
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

const dropBlankEnd = (hunk: Draft["hunks"][number], blank: number): void => {
  for (let left = blank; left > 0; left -= 1) {
    hunk.oldLines.pop()
    hunk.newLines.pop()
  }
}

/** The files of a diff. Text without a header is one file without a path. */
export const readDiff = (lines: ReadonlyArray<string>): ReadonlyArray<FileDiff> => {
  const files: Array<Draft> = []
  let hunk: Draft["hunks"][number] | undefined
  let blank = 0
  const close = (): void => {
    if (hunk !== undefined) dropBlankEnd(hunk, blank)
    hunk = undefined
    blank = 0
  }
  const open = (at: number): Draft => {
    close()
    const file: Draft = { at, isNew: false, isDeleted: false, hunks: [] }
    files.push(file)
    return file
  }
  const hunkOf = (at: number) => {
    if (hunk !== undefined) return hunk
    const file = files.at(-1) ?? open(at)
    const begun: Draft["hunks"][number] = { at, oldLines: [], newLines: [] }
    hunk = begun
    file.hunks.push(begun)
    return begun
  }
  const name = (file: Draft, at: number): void => {
    const [, sign, quoted, plain = ""] = header.exec(lines[at] ?? "") ?? []
    const path = quoted ?? plain
    if (sign === "---") {
      if (path === "/dev/null") file.isNew = true
      else file.from = withoutPrefix(path)
    } else if (path === "/dev/null") file.isDeleted = true
    else file.to = withoutPrefix(path)
  }
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ""
    const git = gitHeader.exec(line)
    const patch = patchHeader.exec(line)
    if (git !== null) {
      const file = open(at)
      file.from = git[1] ?? ""
      file.to = git[2] ?? ""
    } else if (patch !== null) {
      const file = open(at)
      const [, what, path = ""] = patch
      file.to = path
      file.isNew = what === "Add"
      file.isDeleted = what === "Delete"
    } else if (patchMark.test(line)) close()
    // A removed line may look like the first line of a header, but not an added one after it like the second.
    else if (isHeader(line, lines[at + 1] ?? "")) {
      const last = files.at(-1)
      const file = last === undefined || last.hunks.length > 0 || hunk !== undefined ? open(at) : last
      name(file, at)
      name(file, at + 1)
      at += 1
    } else if (line.startsWith("@@")) {
      close()
      hunkOf(at)
    } else if (hunk === undefined && (between.test(line) || line.trim() === "")) continue
    else if (!line.startsWith("\\")) {
      const current = hunkOf(at)
      const text = /^[-+ ]/.test(line) ? line.slice(1) : line
      if (!line.startsWith("+")) current.oldLines.push(text)
      if (!line.startsWith("-")) current.newLines.push(text)
      blank = line === "" ? blank + 1 : 0
    }
  }
  close()
  return files
}
