/**
 * What prompts show of references. A text that fits is whole; of a longer one its outline and the parts that the words of the
 * task match, in order, with the places of what is left out and how to see it.
 */
import * as Arr from "effect/Array"
import { proseLines } from "../markdown/Outline.ts"
import { fencedBlock, fileBlock, rawBlock } from "../markdown/PromptBlock.ts"
import { descriptionAnchor } from "./Briefing.ts"
import type { ResolvedReference } from "./ReferenceContent.ts"
import { cutAt, shares } from "../text/Excerpt.ts"
import { joinChosen, LineChoice } from "../text/LineChoice.ts"
import type { LineRange } from "../text/LineRange.ts"
import { numberLines } from "../text/NumberedLines.ts"

/** Lines before and after a line that belongs to no block, or to one that is too long. */
const around = 10

const indentOf = (line: string): number => line.length - line.trimStart().length

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ""

const isCloser = (line: string): boolean => /^\s*(?:[)}\]]|end\b|fi\b|done\b|esac\b)/.test(line)

/** Comments, decorators and attributes, which belong to the line below them. */
const isLeading = (line: string): boolean => /^\s*(?:\/\/|\/\*|\*|#(?!include|define)|@|--|;;|""")/.test(line)

const heading = /^ {0,3}(#{1,6})(?:[ \t]|$)/

/** The lines (from 1) with headings, and how deep each is. */
const headingsOf = (lines: ReadonlyArray<string>) =>
  proseLines(lines.join("\n")).flatMap(({ line, text }) => {
    const depth = heading.exec(text)?.[1]?.length
    return depth === undefined ? [] : [{ line, depth }]
  })

const sectionsOf = (lines: ReadonlyArray<string>) => {
  const headings = headingsOf(lines)
  return (at: number): LineRange => {
    const own = headings.findLast(({ line }) => line <= at)
    const next = headings.find(({ depth, line }) => line > at && depth <= (own?.depth ?? 6))
    return { from: own?.line ?? 1, to: (next?.line ?? lines.length + 1) - 1 }
  }
}

/** The block that a line of this index begins: the deeper lines below it, and the one that closes them. */
const blockBelow = (lines: ReadonlyArray<string>, header: number, most: number): number => {
  const depth = indentOf(lines[header] ?? "")
  const opens = /[({[]\s*$/.test(lines[header] ?? "")
  let end = header
  for (let index = header + 1; index < lines.length && end - header <= most; index++) {
    const line = lines[index] ?? ""
    if (isBlank(line)) continue
    if (indentOf(line) > depth) end = index
    else if (indentOf(line) === depth && isCloser(line) && (end > header || opens)) {
      end = index
      if (!/[({[]\s*$/.test(line)) break
    } else break
  }
  return end
}

/** The nearest line above that is less indented, unless it is too far away. */
const parentOf = (lines: ReadonlyArray<string>, index: number, most: number): number | undefined => {
  const depth = indentOf(lines[index] ?? "")
  for (let above = index - 1; above >= Math.max(0, index - most); above--) {
    const line = lines[above] ?? ""
    if (!isBlank(line) && indentOf(line) < depth && !isCloser(line)) return above
  }
  return undefined
}

/** The line above that is indented like one that closes a block. */
const openerOf = (lines: ReadonlyArray<string>, at: number): number => {
  const depth = indentOf(lines[at] ?? "")
  const isOpener = (line: string): boolean => !isBlank(line) && indentOf(line) === depth && !isCloser(line)
  const found = lines.slice(0, at).findLastIndex(isOpener)
  return found < 0 ? at : found
}

const withLeading = (lines: ReadonlyArray<string>, header: number): number => {
  let start = header
  while (start > 0 && isLeading(lines[start - 1] ?? "")) start -= 1
  return start
}

/** The widest block around a line that has at most `most` lines; nothing when there is none. */
const indented = (lines: ReadonlyArray<string>, at: number, most: number): LineRange | undefined => {
  let found: LineRange | undefined
  let header: number | undefined = isCloser(lines[at] ?? "") ? openerOf(lines, at) : at
  for (let steps = 0; header !== undefined && steps < 50; steps++) {
    const from = withLeading(lines, header)
    const to = blockBelow(lines, header, most)
    if (to - from + 1 > most) break
    if (to > from && to >= at) found = { from: from + 1, to: to + 1 }
    header = parentOf(lines, header, most)
  }
  return found
}

/** Pairs of lines with braces that open and close; braces in strings and comments may mislead it. */
const bracesOf = (lines: ReadonlyArray<string>): ReadonlyArray<LineRange> => {
  const open: Array<number> = []
  const pairs: Array<LineRange> = []
  for (const [index, line] of lines.entries()) {
    for (const [mark] of line.replaceAll(/"[^"]*"|'[^']*'|\/\/.*$/g, "").matchAll(/[{}]/g)) {
      const start = mark === "{" ? void open.push(index) : open.pop()
      if (start !== undefined && index > start) pairs.push({ from: start + 1, to: index + 1 })
    }
  }
  return pairs
}

const proses = new Set(["markdown", "mdx"])
const plain = new Set(["", "text", "csv", "jsonl"])

/** Gives the lines (from 1) around a line, at most `most` of them, the line itself among them. */
export const enclosingLines = (lines: ReadonlyArray<string>, language: string) => {
  const sections = proses.has(language) ? sectionsOf(lines) : undefined
  let braces: ReadonlyArray<LineRange> | undefined
  const braced = (line: number, most: number): LineRange | undefined => {
    braces ??= bracesOf(lines)
    return braces.find(({ from, to }) => from <= line && line <= to && to - from < most)
  }
  return (line: number, most = 80): LineRange => {
    const near = Math.min(around, Math.floor((most - 1) / 2))
    const window = { from: Math.max(1, line - near), to: Math.min(lines.length, line + near) }
    if (plain.has(language)) return window
    const found = sections?.(line) ?? indented(lines, line - 1, most) ?? braced(line, most) ?? window
    if (found.to - found.from < most) return found
    return { from: Math.max(found.from, window.from), to: Math.min(found.to, window.to) }
  }
}

export interface ExcerptSource {
  readonly lines: ReadonlyArray<string>
  readonly language: string
  /** The number of the first line; absent for a text whose lines have no numbers. */
  readonly first?: number
  /** How many lines at the beginning matter most. */
  readonly keep?: number
  /** Says what is left out, from one line to another (indexes from 0). */
  readonly gap: (from: number, to: number) => string
}

export interface Excerpt {
  readonly text: string
  /** How many lines are shown. */
  readonly shown: number
  readonly isWhole: boolean
}

/** A longer line is shown around the first word that it holds. */
const longestLine = 400
/** The most lines of one part. */
const longestPart = 40
const mostWords = 60
const mostMatches = 300

/** The words of a string that may stand in source, lower case, each once. */
export const wordsOf = (text: string): ReadonlyArray<string> => {
  const words = text.toLowerCase().match(/[\p{L}_$][\p{L}\d_$]{2,}/gu) ?? []
  return [...new Set(words)].slice(0, mostWords)
}

const declaration =
  /^\s{0,4}(?:(?:export|default|public|private|protected|internal|static|abstract|final|async|pub|declare|open|override|sealed|virtual|unsafe|extern|inline)\b(?:\([a-z]+\))?\s+)*(?:function\b\*?|class|interface|type|enum|struct|trait|impl|def|fn|func|module|namespace|record|object|protocol|extension|package)\s+[\w$<]/
const constant = /^(?:export\s+)?(?:const|let|var|val)\s+[\w$]+/
const method =
  /^\s{2,4}(?!(?:if|for|while|switch|catch|return|else|do|try|with)\b)(?:(?:public|private|protected|static|async|readonly|override|get|set)\s+)*[\w$#]+\s*\([^;]*\)[^;]*\{\s*$/

const isDeclared = (line: string): boolean => declaration.test(line) || constant.test(line) || method.test(line)

/** Indexes of headings or declarations, those of the highest level first. */
const outlineOf = ({ language, lines }: ExcerptSource): ReadonlyArray<number> => {
  const marks =
    proses.has(language) || language === "page"
      ? headingsOf(lines)
      : lines.flatMap((text, index) => (isDeclared(text) ? [{ line: index + 1, depth: indentOf(text) }] : []))
  return marks.toSorted((a, b) => a.depth - b.depth || a.line - b.line).map(({ line }) => line - 1)
}

/** The name that a line declares, in lower case. */
const declaredName = (line: string): string | undefined =>
  isDeclared(line) ? /([\w$]+)\s*(?:[=:<({]|extends\b|implements\b|$)/.exec(line)?.[1]?.toLowerCase() : undefined

/** Indexes of lines that hold words: those that declare one, then those with the rarest words. */
const matchesOf = (lines: ReadonlyArray<string>, words: ReadonlyArray<string>): ReadonlyArray<number> => {
  const named = new Set(words)
  const scores = new Map(lines.flatMap((line, index) => (named.has(declaredName(line) ?? "") ? [[index, 1]] : [])))
  const lower = lines.map((line) => line.toLowerCase())
  for (const word of words) {
    const hits = lower.flatMap((line, index) => (line.includes(word) ? [index] : []))
    for (const index of hits) scores.set(index, (scores.get(index) ?? 0) + 1 / hits.length)
  }
  return [...scores]
    .toSorted((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, mostMatches)
    .map(([index]) => index)
}

const shownLine = (line: string, words: ReadonlyArray<string>): string => {
  if (line.length <= longestLine) return line
  const lower = line.toLowerCase()
  const at = Math.max(0, ...words.map((word) => lower.indexOf(word)))
  const start = Math.max(0, Math.min(at - 100, line.length - longestLine))
  const part = cutAt(line.slice(start), longestLine).replace(/^[\uDC00-\uDFFF]/, "")
  return `${start > 0 ? "..." : ""}${part}... (${line.length} characters)`
}

const importing =
  /^(?:import\b|from\s+\S+\s+import\b|use\s+[\w{:*\\]|using\s+\w|#include\b|(?:const|let|var)\b.*\brequire\()/

/** Indexes of the lines that import, from each that begins one to its end; those of prose have none. */
const importsOf = ({ language, lines }: ExcerptSource): ReadonlyArray<ReadonlyArray<number>> =>
  proses.has(language) || language === "page"
    ? []
    : lines.flatMap((line, index) =>
        importing.test(line) ? [Arr.range(index, blockBelow(lines, index, longestPart))] : []
      )

const choose = (source: ExcerptSource, words: ReadonlyArray<string>, choice: LineChoice): void => {
  const { language, lines } = source
  const enclosing = enclosingLines(lines, language === "page" ? "markdown" : language)
  const matches = matchesOf(lines, words)
  // The best match has room before anything else, as the line alone where its block is too long.
  for (const index of matches.slice(0, 1)) {
    const { from, to } = enclosing(index + 1, longestPart)
    const block = Arr.range(from - 1, to - 1)
    const size = block.reduce((sum, at) => sum + (lines[at] ?? "").length + 8, 0)
    if (size > choice.left / 3 || !choice.add(block)) choice.add([index])
  }
  const [importBudget, outlineBudget] = [choice.left * 0.85, choice.left * 0.65]
  for (const indexes of importsOf(source)) {
    if (choice.left < importBudget || !choice.add(indexes)) break
  }
  for (const index of outlineOf(source)) {
    if (choice.left < outlineBudget || !choice.add([index])) break
  }
  for (const index of matches) {
    if (choice.lines.has(index) && choice.lines.has(index + 1)) continue
    const { from, to } = enclosing(index + 1, longestPart)
    if (choice.add(Arr.range(from - 1, to - 1))) continue
    if (!choice.add(Arr.range(Math.max(0, index - 3), Math.min(lines.length, index + 4) - 1))) choice.add([index])
  }
  for (const index of lines.keys()) {
    if (!choice.add([index])) break
  }
}

/** The whole text if it has at most `limit` characters, else what of it helps the task. */
export const excerptOf = (source: ExcerptSource, words: ReadonlyArray<string>, limit: number): Excerpt => {
  const { first, gap, keep = 0, lines } = source
  const withNumbers = (all: ReadonlyArray<string>) => (first === undefined ? all : numberLines(all, first))
  const whole = withNumbers(lines).join("\n")
  if (whole.length <= limit) return { text: whole, shown: lines.length, isWhole: true }
  const shown = withNumbers(lines.map((line) => shownLine(line, words)))
  const gapCost = Math.max(gap(0, 0).length, gap(Math.max(0, lines.length - 1), lines.length - 1).length) + 12
  const choice = new LineChoice(
    shown.map((line) => line.length + 1),
    gapCost,
    limit + 1
  )
  for (let index = 0; index < keep && choice.add([index]); index++);
  choose(source, words, choice)
  const { count, text } = joinChosen(shown, choice.lines, gap)
  return { text: cutAt(text, limit), shown: count, isWhole: false }
}

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, " ")

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

/** The lines of the summary of a result, and its heading; it matters more than the details. */
const summaryLines = (lines: ReadonlyArray<string>): number => {
  if (!/^#+ Result summary/i.test(lines[0] ?? "")) return 0
  const next = lines.findIndex((line, index) => index > 0 && /^#{1,2} /.test(line))
  return next < 0 ? lines.length : next
}

const resultGap = (from: number, to: number): string => `(${to - from + 1} lines left out)`

/** Says where a page is to be read on, by its characters. */
const pageGap = (lines: ReadonlyArray<string>) => {
  const starts = [0]
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1)
  return (from: number, to: number): string => `(characters ${starts[from]} to ${starts[to + 1]} left out)`
}

/** The content as lines; `undefined` when it comes later. */
const sourceOf = ({ content, reference }: ResolvedReference): ExcerptSource | undefined => {
  if (content.kind === "later") return undefined
  const lines = linesOf(content.text)
  if (reference.kind === "url") return { lines, language: "page", gap: pageGap(lines) }
  if (content.kind === "markdown") {
    return { lines, language: "markdown", gap: resultGap, keep: summaryLines(lines) }
  }
  const { first, language } = content
  const start = first ?? 1
  const gap = (from: number, to: number): string => `(${start + from} to ${start + to} left out)`
  return { lines, language, gap, first }
}

const rest = ({ reference }: ResolvedReference): string => {
  if (reference.kind === "url") return " `fetch_url` with `start` shows what is left out."
  return reference.kind === "file" ? " `read_file` with `start_line` shows what is left out." : ""
}

/** Which part of the file is shown, and why; empty for the whole. */
const noteOf = (resolved: ResolvedReference, { isWhole, shown }: Excerpt, lines: number): string => {
  const { content, reference } = resolved
  const isPart = content.kind === "file" && content.of !== undefined && content.first !== undefined
  const asked = reference.kind === "file" ? reference.lines : undefined
  const around = asked?.from === asked?.to && lines > 1 ? `, around line ${asked?.from}` : ""
  const place = isPart ? `Lines ${content.first} to ${(content.first ?? 1) + lines - 1} of ${content.of}${around}.` : ""
  const what =
    shown < lines ? `${shown} of ${lines} lines: the outline and what matches the task` : "parts of long lines"
  const cut = isWhole ? "" : `There is room for ${what}.${rest(resolved)}`
  const both = [place, cut].filter((text) => text !== "").join(" ")
  return both === "" ? "" : `\n\n(${both})`
}

/** True for what stands in the prompts of all tasks, before their references. */
const isAbove = ({ reference }: ResolvedReference): boolean =>
  reference.kind === "anchor" && reference.target === descriptionAnchor

const headingOf = ({ reference: { href, title } }: ResolvedReference): string =>
  `## Reference information for ${oneLine(title === "" ? href : title)}\n\nThe contents of ${oneLine(href)}`

/** `## Reference information for <title>`, `The contents of <href>`, and the content in a fence. */
const block = (resolved: ResolvedReference, fitted: Excerpt, lines: number): string => {
  const { content } = resolved
  if (isAbove(resolved)) return rawBlock(headingOf(resolved), "(They stand above, under `## Project description`.)")
  const heading = `${headingOf(resolved)}${noteOf(resolved, fitted, lines)}`
  if (content.kind === "file") return fileBlock(heading, { text: fitted.text, language: content.language })
  return fencedBlock(heading, fitted.text.trim() === "" ? "(empty)" : fitted.text.trim(), "markdown")
}

/** The blocks of all references that have content, and how many characters of each are shown. */
export const referenceExcerpts = (
  resolved: ReadonlyArray<ResolvedReference>,
  words: ReadonlyArray<string>,
  /** The most characters of all contents, and of all blocks where that is known. */
  { blocks = Number.MAX_SAFE_INTEGER, contents }: { readonly contents: number; readonly blocks?: number | undefined }
): ReadonlyArray<{ readonly resolved: ResolvedReference; readonly block: string; readonly shown: number }> => {
  const sources = resolved.flatMap((one) => {
    const source = sourceOf(one)
    if (source === undefined) return []
    const whole = excerptOf(source, words, Number.MAX_SAFE_INTEGER)
    // A cut has a note, and fences grow with what they hold.
    const frame = block(one, { ...whole, text: "" }, source.lines.length).length + 220
    const wanted = isAbove(one) ? 0 : whole.text.length
    return [{ one, source, wanted, frame, size: whole.text.length }]
  })
  const frames = sources.reduce((sum, { frame }) => sum + frame, 0)
  const limits = shares(
    sources.map(({ wanted }) => wanted),
    Math.max(0, Math.min(contents, blocks - frames))
  )
  return sources.map(({ source, one, size }, index) => {
    const fitted = excerptOf(source, words, isAbove(one) ? size : (limits[index] ?? 0))
    return { resolved: one, block: block(one, fitted, source.lines.length), shown: fitted.text.length }
  })
}
