/**
 * Finds the path of each change in an answer: the path on the line or fence directly above the change. A block directly
 * after another block changes the same file. A block after any other text has no path, because a change must never go
 * to the wrong file.
 */
import { isBlank, lastBefore, type OpenMark, readFence, readOpen } from "./ChangeMarks.ts"
import {
  comparesFiles,
  isPlainSentence,
  type NamedPath,
  pathInProject,
  pathOfInfo,
  pathOfLine,
  pathsInSentence,
  pathWithBlanks,
  type ProjectPaths,
  spansOf
} from "./ChangePath.ts"

export interface PlacedPath {
  readonly path: string
  /** The index of a line that contains only the path. Absent for a path inside other text. */
  readonly line?: number
  /** True for a path that is a part of a sentence. */
  readonly isOfSentence?: true
}

/** The result for a block without a path. `above` is the nearest text above the block, if any. */
interface NoPath {
  readonly above: string | undefined
}

/** Finds the paths of one answer, and remembers the paths read so far. */
export class AnswerPaths {
  private readonly lines: ReadonlyArray<string>
  private readonly spellings: Map<string, string>
  private readonly isLookedUp: boolean
  private readonly takenLines: ReadonlySet<number>
  /** The file that the last block changes. `end` is the index after this block. */
  private lastBlock: { readonly end: number; readonly path: string | undefined } | undefined

  /** `takenLines` are the indexes of lines that belong to changes. The reader adds to them. */
  constructor(lines: ReadonlyArray<string>, takenLines: ReadonlySet<number>, paths: ProjectPaths | undefined) {
    this.lines = lines
    this.takenLines = takenLines
    this.spellings = new Map(paths ?? [])
    this.isLookedUp = paths !== undefined
  }

  private line(at: number): string {
    return this.lines[at] ?? ""
  }

  /** The path as the project spells it. */
  spelled(path: string): string {
    return this.spellings.get(path) ?? path
  }

  /** Notes that the answer creates this file. */
  noteFile(path: string): void {
    this.spellings.set(path, path)
  }

  noteBlock(end: number, path: string | undefined): void {
    this.lastBlock = { end, path }
  }

  isMissing(path: string): boolean {
    return this.isLookedUp && !this.spellings.has(path)
  }

  /** The path on a line that contains only a path. */
  readonly ofLine = (line: string): NamedPath | undefined => pathInProject(line, this.spellings) ?? pathOfLine(line)

  beforeFence(at: number): (NamedPath & { readonly line: number }) | undefined {
    const above = lastBefore(this.lines, at, (line) => !isBlank(line))
    const line = this.line(above)
    if (above < 0 || this.takenLines.has(above)) return undefined
    const blanks = pathWithBlanks(line)
    const named = this.ofLine(line) ?? (blanks === undefined ? undefined : { path: blanks, hasLines: false })
    return named === undefined ? undefined : { ...named, line: above }
  }

  /** The path of a block: from the label of its first mark, or else from the text above. */
  ofBlock(at: number, { label, path: named }: OpenMark): PlacedPath | NoPath {
    const labelled = pathInProject(label, this.spellings)?.path ?? named
    if (labelled !== undefined) return { path: this.spelled(labelled) }
    return /[/\\]|[^\s.]\.\p{L}\w*$/u.test(label) ? { above: label } : this.aboveBlock(at)
  }

  private aboveBlock(at: number): PlacedPath | NoPath {
    for (let above = at - 1; above >= 0; above -= 1) {
      if (above + 1 === this.lastBlock?.end) {
        const { path } = this.lastBlock
        return path === undefined ? { above: undefined } : { path }
      }
      const line = this.line(above)
      if (isBlank(line)) continue
      const info = readFence(line)?.info
      if (info === undefined) return (this.takenLines.has(above) ? undefined : this.ofText(above)) ?? { above: line }
      const named = pathOfInfo(info) ?? pathInProject(afterLanguage(info), this.spellings)
      if (named !== undefined) return { path: this.spelled(named.path) }
      if (afterLanguage(info) !== "" && !/[={]/.test(info)) return { above: line }
    }
    return { above: undefined }
  }

  /**
   * The path in the text above a block. The line directly above the block decides:
   * - It is a path: this path.
   * - It is a sentence that names one path: this path.
   * - It is a sentence without a path: the path on the nearest line above that is no such sentence.
   */
  private ofText(at: number): PlacedPath | undefined {
    const line = this.line(at)
    const whole = this.ofLine(line)?.path ?? pathWithBlanks(line)
    if (whole !== undefined) return { path: this.spelled(whole), line: at }
    const [named, ...others] = pathsInSentence(line, this.spellings)
    if (named !== undefined) {
      return others.length > 0 || comparesFiles(line) ? undefined : { path: this.spelled(named), isOfSentence: true }
    }
    if (!isPlainSentence(line)) return undefined
    const above = lineAboveSentences(this.lines, at)
    const heading = above < 0 || this.takenLines.has(above) ? undefined : this.ofLine(this.line(above))
    return heading === undefined ? undefined : { path: this.spelled(heading.path), line: above }
  }
}

const afterLanguage = (info: string): string => info.replace(/^\S+\s*/, "")

/** At most this many sentences may stand between a path line and its block. */
const mostSentences = 20

const lineAboveSentences = (lines: ReadonlyArray<string>, at: number): number => {
  const first = Math.max(0, at - mostSentences)
  const above = lastBefore(lines.slice(first, at), at - first, (line) => !isBlank(line) && !isPlainSentence(line))
  return above < 0 ? -1 : first + above
}

/** At most this many texts of an answer are looked up as paths of the project. */
const maxTexts = 200

/** The texts of an answer that may name the file of a block or fence below them. */
export const textsAbove = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const texts = new Set<string>()
  let above = -1
  for (const [at, line] of lines.entries()) {
    if (texts.size >= maxTexts) break
    const info = readFence(line)?.info
    const open = readOpen(line)
    if (open !== undefined) texts.add(open.label)
    if (info !== undefined || open !== undefined) {
      const text = (lines[above] ?? "").trim()
      texts.add(text)
      for (const span of spansOf(text)) texts.add(span)
      if (isPlainSentence(text)) texts.add((lines[lineAboveSentences(lines, above)] ?? "").trim())
    }
    if (info !== undefined) texts.add(afterLanguage(info))
    else if (!isBlank(line)) above = at
  }
  return [...texts].filter((text) => text !== "")
}
