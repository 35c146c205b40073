/**
 * Reads the changes of files in an answer: blocks with three marks, whole files, diffs, and JSON objects. Text that
 * looks like a change but is unreadable becomes an issue, so no change is lost silently.
 */
import * as Result from "effect/Result"
import { addIssue, addRepair, type Findings, inDocumentOrder, type IssueCode, noFindings } from "../findings/Issue.ts"
import { ruleOf } from "../findings/rules/Rules.ts"
import { wrapperOf } from "./AnswerParts.ts"
import { AnswerPaths, textsAbove } from "./AnswerPaths.ts"
import {
  fenceAt,
  type InfoFence,
  fileFenceAt,
  findBounds,
  isBlank,
  lastBefore,
  looseMark,
  type OpenMark,
  readFence,
  readOpen,
  report,
  unfenced
} from "./ChangeMarks.ts"
import { mayBeChangeObject, mayHoldChangeObject, type ObjectChange, readChangeObjects } from "./ChangeObject.ts"
import { isProduct, pathOfInfo, pathReadings, pathsInSentence, type ProjectPaths } from "./ChangePath.ts"
import { diffEnd, isDiff, readDiff } from "./DiffHunks.ts"
import { languageOf } from "./Language.ts"
import { shortened } from "../text/Excerpt.ts"
import type { TextEdit } from "./TextEdit.ts"

/** A change that an answer requests. `line` is its line number in the answer, from 1. */
export type Change =
  | {
      readonly _tag: "Edit"
      readonly path: string
      /** Whole lines with their line ends. */
      readonly oldText: string
      readonly newText: string
      readonly line: number
    }
  | {
      readonly _tag: "File"
      readonly path: string
      readonly text: string
      /** True for a block without old text: the file must not exist yet. */
      readonly mustBeNew: boolean
      readonly line: number
    }
  | (ObjectChange & { readonly line: number })
  /** One change that edits several files. It comes from an answer in which the model decides about numbered places. */
  | {
      readonly _tag: "Edits"
      readonly files: ReadonlyArray<{ readonly path: string; readonly edits: ReadonlyArray<TextEdit> }>
      readonly line: number
    }

const example = "src/limits.ts\n<<<<<<< OLD\nconst limit = 5\n=======\nconst limit = 10\n>>>>>>> NEW"

const creates = /\b(?:add|creates?|new|overwrite|replace|save|write)\b/i
const oldLabel = /^[#*\s]*(?:OLD|SEARCH|ORIGINAL)(?:\s+(?:text|code))?[*:\s]*$/i

const noPaths: ProjectPaths = new Map()

const longerFence = "Write the whole file again, in a fence of four backquotes."

/** The maximum number of lines of an object without a fence. */
const maxObjectLines = 40

const textOf = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")

const isMarkdown = (path: string): boolean => ["markdown", "mdx", "rst", "text", ""].includes(languageOf(path))

/**
 * Languages of data, commands and output. A fence with such a language is not the content of a file of another kind.
 */
const otherContent = /^(?:json|sh|bash|shell|console|terminal|powershell|cmd|output|log|te?xt|plaintext|diff|patch)$/i

const shownOfLine = 80

const fitsFile = (language: string, path: string): boolean => {
  if (!/^[a-z][\w+#.-]*$/i.test(language)) return false
  if (!otherContent.test(language)) return true
  const own = languageOf(path)
  return own === "" || own === languageOf(`x.${language}`) || (own.startsWith("json") && /^json/i.test(language))
}

class Reader {
  readonly changes: Array<Change> = []
  readonly findings: Findings = noFindings()
  private readonly takenLines = new Set<number>()
  private readonly lines: ReadonlyArray<string>
  private readonly paths: AnswerPaths
  private inReport = false

  constructor(answer: string, paths: ProjectPaths | undefined) {
    this.lines = answer.split(/\r\n|\n/)
    this.paths = new AnswerPaths(this.lines, this.takenLines, paths)
  }

  read(): void {
    const around = wrapperOf(this.lines, (line) => this.paths.ofLine(line) !== undefined)
    if (around === undefined) return this.readBetween(0, this.lines.length, false)
    for (const at of [around.first, around.end]) this.take(at, at + 1)
    this.readBetween(around.first + 1, around.end, false)
  }

  rest(): string {
    const left = this.lines.filter((_, at) => !this.takenLines.has(at)).join("\n")
    return left.replace(/\n{3,}/g, "\n\n").trim()
  }

  private line(at: number): string {
    return this.lines[at] ?? ""
  }

  private take(from: number, end: number): void {
    for (let at = from; at < end; at += 1) this.takenLines.add(at)
  }

  private issue(code: IssueCode, at: number, what: string, quote = this.line(at)): void {
    const how = code === "change-replace" ? undefined : `${ruleOf(code).fix} For example:\n${example}`
    addIssue(this.findings, code, { line: at + 1 }, { what, how, quote: quote.trim() })
  }

  private noteMark(at: number): void {
    if (looseMark.test(this.line(at))) this.issue("change-marks", at, "The mark belongs to no block.")
  }

  /** Adds a change, with its path as the project spells it. */
  private push(change: Change): void {
    const spelled = "path" in change ? { ...change, path: this.paths.spelled(change.path) } : change
    this.changes.push(spelled)
    if (spelled._tag === "File" || spelled._tag === "Edit") this.paths.noteFile(spelled.path)
    if (spelled._tag === "Move") this.paths.noteFile(spelled.to)
  }

  /** The index of the nearest line above that is neither blank nor a fence line; -1 if there is no such line. */
  private lineBefore(at: number): number {
    return lastBefore(this.lines, at, (line) => !isBlank(line) && readFence(line) === undefined)
  }

  private readBetween(from: number, end: number, isFenced: boolean): void {
    for (let at = from; at < end;) at = this.readAt(at, isFenced)
  }

  /** Reads the part that begins at a line, and returns the index after it. */
  private readAt(at: number, isFenced: boolean): number {
    const line = this.line(at)
    const open = readOpen(line)
    if (open !== undefined) return this.readBlock(at, open)
    if (!isFenced && readFence(line) !== undefined) return this.readFence(at)
    if (!isFenced && mayBeChangeObject(line)) {
      const end = this.readLooseObject(at)
      if (end !== undefined) return end
    }
    if (!isFenced && isDiff(this.lines.slice(at, at + 2))) {
      const end = diffEnd(this.lines, at)
      if (this.readDiff(at, "", this.lines.slice(at, end), at)) {
        this.take(at, end)
        return end
      }
    }
    this.noteMark(at)
    if (report.test(line)) this.inReport = true
    return at + 1
  }

  private readBlock(at: number, open: OpenMark): number {
    const { end, middle, problem } = findBounds(this.lines, at, open.length)
    const above = this.paths.ofBlock(at, open)
    const path = "path" in above ? above.path : undefined
    this.take(at, end)
    this.paths.noteBlock(end, path)
    const line = "path" in above ? (above.line ?? this.lineNaming(at, above.path)) : undefined
    if (line !== undefined) this.take(line, line + 1)
    if ("path" in above && above.isOfSentence === true) {
      const message = `Took the path ${above.path} from the sentence.`
      addRepair(this.findings, "change-sentence", { line: this.lineBefore(at) + 1 }, message)
    }
    if (problem !== undefined) this.issue(problem[0], at, problem[1])
    else if ("path" in above)
      this.addBlock(
        above.path,
        at,
        this.partOf(at + 1, middle, open.indent),
        this.partOf(middle + 1, end - 1, open.indent)
      )
    else {
      const text = JSON.stringify(shortened(above.above?.trim() ?? "", shownOfLine))
      const why = above.above === undefined ? "" : `: the line ${text} names no file`
      this.issue("change-path", at, `There is no path above this block${why}.`)
    }
    return end
  }

  /** The line directly above a block, if it contains the same path as the mark of the block. */
  private lineNaming(at: number, path: string): number | undefined {
    const named = this.paths.beforeFence(at)
    return named?.path === path ? named.line : undefined
  }

  private partOf(from: number, end: number, indent: string): ReadonlyArray<string> {
    const part = this.lines.slice(from, end)
    const isIndented = indent !== "" && part.every((line) => isBlank(line) || line.startsWith(indent))
    return isIndented ? part.map((line) => line.slice(indent.length)) : part
  }

  private addBlock(path: string, at: number, oldLines: ReadonlyArray<string>, newLines: ReadonlyArray<string>): void {
    const parts = [oldLines, newLines]
    const inside = parts.map((part) => (isMarkdown(path) ? undefined : part.length === 0 ? part : unfenced(part)))
    const isFenced = inside.every((part) => part !== undefined) && parts.some((part) => part.length > 0)
    if (isFenced) addRepair(this.findings, "change-fenced", { line: at + 1 }, "Left out the fences inside the block.")
    const [oldText = "", newText = ""] = parts.map((part, index) => textOf((isFenced ? inside[index] : part) ?? part))
    if (oldText.trim() === "") this.addFile(path, at, newText, true)
    else this.addEdit(path, at, oldText, newText)
  }

  private addEdit(path: string, at: number, oldText: string, newText: string): void {
    this.push({ _tag: "Edit", path, oldText, newText, line: at + 1 })
  }

  private addFile(path: string, at: number, text: string, mustBeNew: boolean): void {
    this.push({ _tag: "File", path, text, mustBeNew, line: at + 1 })
  }

  private readFence(at: number): number {
    const isFile =
      this.paths.beforeFence(at) !== undefined || pathOfInfo(readFence(this.line(at))?.info ?? "")?.isTitle === true
    const fence = (isFile ? fileFenceAt(this.lines, at) : fenceAt(this.lines, at)) ?? { info: "", end: at + 1 }
    const { end, info } = fence
    const content = this.lines.slice(at + 1, end)
    const mark = content.findIndex((line) => readOpen(line) !== undefined)
    if (mark !== -1 && !this.isAboutMarks(at, content.slice(0, mark))) return this.readFencedBlocks(at, fence)
    const next = Math.min(end + 1, this.lines.length)
    const isOwn = this.readDiff(at, info, content, at + 1) || this.readFencedObjects(at, content)
    if (isOwn) this.take(at, next)
    else if (!this.readWholeFile(at, fence, content)) {
      for (let inside = at + 1; inside < end; inside += 1) this.noteMark(inside)
    }
    return next
  }

  /**
   * True for a fence that only explains the marks. Such a fence is below the path of a markdown file, and text precedes
   * its first mark.
   */
  private isAboutMarks(at: number, before: ReadonlyArray<string>): boolean {
    const path = this.paths.beforeFence(at)?.path
    return (
      path !== undefined &&
      isMarkdown(path) &&
      before.some((line) => !isBlank(line) && this.paths.ofLine(line) === undefined)
    )
  }

  private readFencedBlocks(at: number, { end }: InfoFence): number {
    this.readBetween(at + 1, end, true)
    const next = Math.min(end + 1, this.lines.length)
    const isOnlyBlocks = this.lines
      .slice(at + 1, end)
      .every((line, index) => isBlank(line) || this.takenLines.has(at + 1 + index))
    if (isOnlyBlocks) this.take(at, next)
    return next
  }

  /** True for a fence without a language that holds a whole file: the path is new, or the file is prose. */
  private isPlainFile(info: string, path: string): boolean {
    return info === "" && (isMarkdown(path) || this.paths.isMissing(path))
  }

  private readWholeFile(at: number, { end, info, isUnclear }: InfoFence, content: ReadonlyArray<string>): boolean {
    if (this.inReport) return false
    const inInfo = pathOfInfo(info)
    const before = this.paths.beforeFence(at)
    const named = inInfo ?? before
    if (named === undefined) return this.noteUnread(at)
    if (isProduct(named.path)) return false
    const language = /^[^\s:{]*/.exec(info)?.[0] ?? ""
    const isTitled = inInfo?.isTitle === true
    const isFile =
      inInfo === undefined ? fitsFile(language, named.path) || this.isPlainFile(info, named.path) : isTitled
    if (named.hasLines || !isFile) {
      if (!named.hasLines) this.noteQuoted(at, named.path)
      return false
    }
    const next = Math.min(end + 1, this.lines.length)
    this.take(at, next)
    if (before?.path === named.path) this.take(before.line, before.line + 1)
    if (end === this.lines.length) {
      this.issue("change-unfinished", at, "The fence with the whole file has no end.")
      return true
    }
    if (isUnclear === true) {
      const what = `Fences of one length stand around and in the text of ${named.path}, so its end cannot be told.`
      addIssue(this.findings, "change-unfinished", { line: at + 1 }, { what, how: longerFence, quote: this.line(at) })
      return true
    }
    const repeats = (content[0] ?? "").trim() === named.path
    this.addFile(named.path, at, textOf(repeats ? content.slice(1) : content), false)
    return true
  }

  private noteUnread(at: number): false {
    const before = this.line(this.lineBefore(at))
    const [named, ...others] = creates.test(before) ? pathsInSentence(before, noPaths) : []
    const path = others.length === 0 ? named : undefined
    if (oldLabel.test(before)) this.issue("change-marks", this.lineBefore(at), "The old text has no marks.")
    else if (path !== undefined) this.noteQuoted(at, path)
    return false
  }

  private noteQuoted(at: number, path: string): void {
    const message = `Took the code under ${path} as quoted, not as the new text of the file.`
    addRepair(this.findings, "change-quoted", { line: at + 1 }, message)
  }

  /**
   * Reads the lines of a diff. `at` is the index where the part around the diff begins, and `first` the index of the
   * diff's first line.
   */
  private readDiff(at: number, info: string, content: ReadonlyArray<string>, first: number): boolean {
    if (this.inReport || !(/^u?diff\b|^patch\b/i.test(info) || isDiff(content))) return false
    const before = this.paths.beforeFence(at)
    /* Below the path of a diff file, a diff is the content of that file. */
    if (before !== undefined && languageOf(before.path) === "diff") return false
    if (before !== undefined) this.take(before.line, before.line + 1)
    const files = readDiff(content)
    if (files.length === 0) this.issue("change-diff", at, "The diff is empty.")
    for (const file of files) {
      const line = first + file.at
      const path = file.to ?? file.from ?? pathOfInfo(info)?.path ?? before?.path
      const isMoved = file.from !== undefined && file.to !== undefined && file.from !== file.to
      if (isMoved) this.push({ _tag: "Move", path: file.from ?? "", to: file.to ?? "", line: line + 1 })
      if (path === undefined) this.issue("change-path", line, "The diff names no file.")
      else if (file.isDeleted) this.push({ _tag: "Remove", path, line: line + 1 })
      else if (file.hunks.length === 0 && !isMoved) this.issue("change-diff", line, `The diff of ${path} has no lines.`)
      else if (file.isNew) this.addFile(path, line, textOf(file.hunks.flatMap(({ newLines }) => newLines)), true)
      else {
        for (const { at: hunkAt, newLines, oldLines } of file.hunks) {
          const [oldText, newText] = [textOf(oldLines), textOf(newLines)]
          const hunkLine = first + hunkAt
          if (oldText.trim() === "")
            this.issue("change-diff", hunkLine, `A part of the diff of ${path} has no old lines.`)
          else if (oldText === newText)
            this.issue("change-diff", hunkLine, `A part of the diff of ${path} changes nothing.`)
          else this.addEdit(path, hunkLine, oldText, newText)
        }
      }
    }
    return true
  }

  private readFencedObjects(at: number, content: ReadonlyArray<string>): boolean {
    const before = this.paths.beforeFence(at)
    if (before !== undefined || !mayHoldChangeObject(content.join("\n"))) return false
    return this.addObjects(at + 1, content.join("\n"))
  }

  /** Reads an object without a fence, on one or several lines. */
  private readLooseObject(at: number): number | undefined {
    const rest = this.lines.slice(at, at + maxObjectLines)
    const blank = rest.findIndex(isBlank)
    const paragraph = blank === -1 ? rest : rest.slice(0, blank)
    const closing = paragraph.findIndex((line) => /\}\s*$/.test(line))
    const end = closing === -1 ? paragraph.length : closing + 1
    if (!this.addObjects(at, paragraph.slice(0, end).join("\n"))) return undefined
    this.take(at, at + end)
    return at + end
  }

  private addObjects(at: number, text: string): boolean {
    const read = readChangeObjects(text)
    if (read === undefined) return false
    if (Result.isFailure(read)) this.issue("change-replace", at, read.failure, text)
    else for (const one of read.success) this.push({ ...one, line: at + 1 })
    return true
  }
}

/**
 * The changes that an answer requests, in order, with issues for unreadable changes. `rest` is the answer without
 * blocks and their paths. `paths` are the paths of `pathQuestions` that the project has.
 */
export const readChanges = (answer: string, paths?: ProjectPaths) => {
  const reader = new Reader(answer, paths)
  reader.read()
  const changes: ReadonlyArray<Change> = reader.changes
  return { changes, ...inDocumentOrder(reader.findings), rest: reader.rest() }
}

/**
 * The paths to look up in the project before `readChanges`. Each list holds the paths that one text of the answer may
 * mean. The first path of a list that exists in the project is used.
 */
export const pathQuestions = (answer: string): ReadonlyArray<ReadonlyArray<string>> => {
  const others = readChanges(answer).changes.flatMap((change) => ("path" in change ? [change.path] : []))
  const texts = new Set([...textsAbove(answer.split(/\r\n|\n/)), ...others])
  return [...texts].map((text) => pathReadings(text).map(({ path }) => path)).filter((readings) => readings.length > 0)
}
