/**
 * What prompts show of references. A text that fits is whole; of a longer one its outline and the parts that the words of the
 * task match, in order, with the places of what is left out and how to see it.
 */
import * as Arr from "effect/Array"
import { commentLines, longComments } from "../files/CommentLines.ts"
import { type Declaration, declarationsOf } from "../files/Declarations.ts"
import { fencedBlock, fileBlock, rawBlock } from "../markdown/PromptBlock.ts"
import { descriptionAnchor } from "./Briefing.ts"
import { blockBelow, declarationLines, enclosingLines, headingsOf, proses } from "./EnclosingLines.ts"
import type { ResolvedReference } from "./ReferenceContent.ts"
import { type CutReference, percentOf, seenShare } from "./SeenPart.ts"
import { holdsName, leastScore, type Sought, soughtLines, soughtTexts } from "./Sought.ts"
import { cutAt, usefulShares } from "../text/Excerpt.ts"
import { joinChosen, LineChoice } from "../text/LineChoice.ts"
import type { LineRange } from "../text/LineRange.ts"
import { numberLines } from "../text/NumberedLines.ts"

export interface ExcerptSource {
  readonly lines: ReadonlyArray<string>
  readonly language: string
  /** The number of the first line; absent for a text whose lines have no numbers. */
  readonly first?: number
  /** The lines (indexes from 0) that matter most. */
  readonly keep?: ReadonlyArray<number>
  /** Says what is left out, from one line to another (indexes from 0). */
  readonly gap: (from: number, to: number) => string
}

export interface Excerpt {
  readonly text: string
  /** The indexes of the lines that are shown. */
  readonly lines: ReadonlySet<number>
  readonly isWhole: boolean
}

/** A longer line is shown around the first of what is looked for that it holds. */
const longestLine = 400
/** The most lines of one part that only words match. */
const longestPart = 40
/** The most places that a task means. */
const mostMeant = 12
/** A declaration with more lines is shown by the blocks in it. */
const longestWhole = 80
/** Fewer lines of comments stay with the code around them. */
const leastComment = 3
/** With fewer characters for each, not all files are shown. */
const leastOfFile = 900
/** The last lines of a declaration that does not fit. */
const lastLines = 3
/** The lines of a gap that is filled first. */
const mostOfGap = 4
/** The lines before and after one that is looked for in a declaration that does not fit. */
const nearLines = 2
/** So many lines that are looked for are shown of it: more of them would leave no room for what belongs together. */
const mostLookedFor = 3

const isProse = (language: string): boolean => proses.has(language) || language === "page"

/** Indexes of headings or declarations, those of the highest level first. */
const outlineOf = (
  { language, lines }: ExcerptSource,
  declarations: ReadonlyArray<Declaration>
): ReadonlyArray<number> =>
  (isProse(language) ? headingsOf(lines).map(({ depth, line }) => ({ depth, index: line - 1 })) : declarations)
    .toSorted((a, b) => a.depth - b.depth || a.index - b.index)
    .map(({ index }) => index)

const shownLine = (line: string, texts: ReadonlyArray<string>): string => {
  if (line.length <= longestLine) return line
  const lower = line.toLowerCase()
  const at = texts.map((text) => lower.indexOf(text)).find((found) => found >= 0) ?? 0
  const start = Math.max(0, Math.min(at - 100, line.length - longestLine))
  const part = cutAt(line.slice(start), longestLine).replace(/^[\uDC00-\uDFFF]/, "")
  return `${start > 0 ? "..." : ""}${part}... (${line.length} characters)`
}

const importing =
  /^(?:import\b|from\s+\S+\s+import\b|use\s+[\w{:*\\]|using\s+\w|#include\b|(?:const|let|var)\b.*\brequire\()/

/** Indexes of the lines that import what a task names, from each that begins one to its end; those of prose have none. */
const importsOf = ({ language, lines }: ExcerptSource, sought: Sought): ReadonlyArray<ReadonlyArray<number>> => {
  const holds = holdsName(sought)
  if (isProse(language) || sought.names.length === 0) return []
  return lines.flatMap((line, index) => {
    if (!importing.test(line)) return []
    const whole = Arr.range(index, blockBelow(lines, index, longestPart))
    return whole.some((at) => holds(lines[at] ?? "")) ? [whole] : []
  })
}

const indexesOf = ({ from, to }: LineRange): ReadonlyArray<number> => Arr.range(from - 1, to - 1)

/** The lines with which a declaration begins, up to where its body does. */
const headLines = (lines: ReadonlyArray<string>, range: ReadonlyArray<number>, prose: ReadonlySet<number>) => {
  const code = range.filter((index) => !prose.has(index) && !/^\s*@/.test(lines[index] ?? ""))
  const end = code.slice(0, 8).findIndex((index) => /(?:[{:]|=>)\s*$/.test(lines[index] ?? ""))
  return code.slice(0, Math.max(1, end + 1))
}

/**
 * Adds what fits of a declaration: its head, its last lines, those of its lines that are looked for, and what is around one of
 * them, as far as there is room.
 */
const addPart = (
  choice: LineChoice,
  range: ReadonlyArray<number>,
  head: ReadonlyArray<number>,
  index: number,
  { matched, spare }: { readonly matched: ReadonlyArray<number>; readonly spare: number }
) => {
  const end = range.slice(-lastLines)
  const near = range.filter((at) => Math.abs(at - index) <= nearLines)
  if (!choice.add([...new Set([...head, ...near, ...end])].toSorted((a, b) => a - b)) && !choice.add(near)) {
    choice.add([index])
  }
  const within = new Set(range)
  const half = choice.left / 2
  for (const one of matched.filter((at) => within.has(at)).slice(0, mostLookedFor)) {
    const around = range.filter((at) => Math.abs(at - one) <= nearLines)
    if (choice.left > half) choice.add(around)
  }
  const at = range.indexOf(index)
  const own = at < 0 ? 0 : at
  for (const distance of range.keys()) {
    const next = [range[own - distance], range[own + distance]].filter((one) => one !== undefined)
    if (choice.left < spare || !next.every((one) => choice.add([one]))) break
  }
}

/** Adds the few lines between others: a part with holes would be read again. */
const fillGaps = (choice: LineChoice): void => {
  for (const at of [...choice.lines].toSorted((a, b) => a - b)) {
    const size = Array.from({ length: mostOfGap }, (_, index) => index + 1).find((one) =>
      choice.lines.has(at + one + 1)
    )
    if (size !== undefined) choice.add(Arr.range(at + 1, at + size))
  }
}

const choose = (source: ExcerptSource, sought: Sought, choice: LineChoice): void => {
  const { keep = [], language, lines } = source
  const budget = choice.left
  if (!choice.add(keep)) for (const index of keep) if (!choice.add([index])) break
  const declarations = declarationsOf(lines, language)
  const comments = commentLines(lines, language)
  const prose = longComments(lines, comments, leastComment)
  const declared = declarationLines(lines, language, declarations)
  const enclosing = enclosingLines(lines, language === "page" ? "markdown" : language)
  const blocksAt = new Map<number, LineRange>()
  /** The declaration around a line, or the block where that is too long; that of a comment is what stands below it. */
  const blockAt = (index: number): LineRange => {
    let at = index
    while (comments.has(at) && at < lines.length - 1) at += 1
    const known = blocksAt.get(at)
    if (known !== undefined) return known
    const block = enclosing(at + 1, longestPart)
    const whole = declared({ from: at + 1, to: at + 1 })
    const isWider = whole !== undefined && (whole.from < block.from || whole.to > block.to)
    const found = isWider && whole.to - whole.from < longestWhole ? whole : block
    blocksAt.set(at, found)
    return found
  }
  const { blocks, meant: all } = soughtLines(lines, declarations, comments, sought, blockAt)
  const matched = blocks.flatMap(({ found }) => found)
  const meant = all.slice(0, mostMeant)
  const [first = -1, last = -1] = [keep[0], keep.at(-1)]
  const kept = language === "page" || first < 0 ? undefined : declared({ from: first + 1, to: last + 1 })
  const ranges = meant.map((index) => ({
    index,
    range: indexesOf(declared({ from: index + 1, to: index + 1 }) ?? enclosing(index + 1))
  }))
  // A declaration that is named, and holds another of the places, is shown around that one.
  const isHead = ({ index, range }: (typeof ranges)[number]): boolean =>
    index === range[0] && ranges.some((one) => one.index !== index && one.range[0] === index)
  const placed = ranges.filter((one) => !isHead(one))
  const parts = kept === undefined ? placed : [{ index: first, range: indexesOf(kept) }, ...placed]
  // The line of each place first, so that a long one does not hide another.
  for (const { index } of parts.slice(0, 6)) if (choice.left > budget / 2) choice.add([index])
  for (const [position, { index, range }] of parts.entries()) {
    if (range.every((at) => choice.lines.has(at) || prose.has(at))) continue
    const head = headLines(lines, range, prose)
    const code = range.filter((at) => !prose.has(at) || at === index)
    if (!choice.add(code)) {
      addPart(choice, code, head, index, { matched, spare: position < parts.length - 1 ? budget / 5 : 0 })
    }
  }
  for (const { range } of parts) choice.add(range)
  for (const indexes of importsOf(source, sought)) choice.add(indexes)
  const isFound = parts.length > 0 || (blocks[0]?.score ?? 0) >= leastScore
  const show = (): void => {
    for (const {
      found: [best = 0]
    } of blocks) {
      const block = indexesOf(blockAt(best))
      // What has no room is shown in part while little else is shown.
      if (choice.add(block) || choice.left < budget / 2) continue
      addPart(choice, block, headLines(lines, block, prose), best, { matched, spare: budget / 2 })
    }
    fillGaps(choice)
  }
  if (isFound) show()
  if (parts.length > 0 || choice.left < budget / 2) return
  const beside = choice.left * 0.65
  for (const index of outlineOf(source, declarations)) if (choice.left < beside || !choice.add([index])) break
  show()
  for (const index of lines.keys()) if (!choice.add([index])) break
}

/** The whole text if it has at most `limit` characters, else what of it helps the task. */
export const excerptOf = (source: ExcerptSource, sought: Sought, limit: number): Excerpt => {
  const { first, gap, lines } = source
  const withNumbers = (all: ReadonlyArray<string>) => (first === undefined ? all : numberLines(all, first))
  const whole = withNumbers(lines).join("\n")
  if (whole.length <= limit) return { text: whole, lines: new Set(lines.keys()), isWhole: true }
  const texts = soughtTexts(sought)
  const rows = withNumbers(lines.map((line) => shownLine(line, texts)))
  const gapCost = Math.max(gap(0, 0).length, gap(Math.max(0, lines.length - 1), lines.length - 1).length) + 12
  const choice = new LineChoice(
    rows.map((line) => line.length + 1),
    gapCost,
    limit + 1
  )
  choose(source, sought, choice)
  const { shown, text } = joinChosen(rows, choice.lines, gap)
  return { text: cutAt(text, limit), lines: shown, isWhole: false }
}

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, " ")

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

/** The lines of the summary of a result, and its heading; it matters more than the details. */
const summaryLines = (lines: ReadonlyArray<string>): ReadonlyArray<number> => {
  if (!/^#+ Result summary/i.test(lines[0] ?? "")) return []
  const next = lines.findIndex((line, index) => index > 0 && /^#{1,2} /.test(line))
  return [...lines.keys()].slice(0, next < 0 ? lines.length : next)
}

const resultGap = (from: number, to: number): string => `(${to - from + 1} lines left out)`

/** Says where a page is to be read on, by its characters. */
const pageGap = (lines: ReadonlyArray<string>) => {
  const starts = [0]
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1)
  return (from: number, to: number): string => `(characters ${starts[from]} to ${starts[to + 1]} left out)`
}

/** The lines (indexes from 0) that a reference asks for; nothing for all, and for one line, which stands for its block. */
const askedOf = ({ content, reference }: ResolvedReference): LineRange | undefined => {
  if (reference.kind !== "file" || content.kind !== "file" || content.first === undefined) return undefined
  const { lines } = reference
  if (lines === undefined || lines.from === lines.to) return undefined
  const last = content.first + linesOf(content.text).length - 1
  return { from: lines.from - content.first, to: Math.min(lines.to, last) - content.first }
}

/** The content as lines; `undefined` when it comes later. */
const sourceOf = (resolved: ResolvedReference): ExcerptSource | undefined => {
  const { content, reference } = resolved
  if (content.kind === "later") return undefined
  const lines = linesOf(content.text)
  if (reference.kind === "url") return { lines, language: "page", gap: pageGap(lines) }
  if (content.kind === "markdown") {
    return { lines, language: "markdown", gap: resultGap, keep: summaryLines(lines) }
  }
  const { first, language } = content
  const start = first ?? 1
  const asked = askedOf(resolved)
  const gap = (from: number, to: number): string => `(${start + from} to ${start + to} left out)`
  return { lines, language, gap, first, ...(asked === undefined ? {} : { keep: Arr.range(asked.from, asked.to) }) }
}

const rest = ({ reference }: ResolvedReference): string => {
  if (reference.kind === "url") return " `fetch_url` with `start` shows the rest."
  return reference.kind === "file" ? " `read_file` with `start_line` shows the rest." : ""
}

const linesText = (from: number, to: number): string => (from === to ? `${from}` : `${from} to ${to}`)

/** More parts of a text are only counted. */
const mostParts = 6

/** `lines 40 to 98 and 120`, by the indexes of the lines and the number of the first. */
const partsText = (shown: ReadonlySet<number>, first: number): string => {
  const parts: Array<{ from: number; to: number }> = []
  for (const index of [...shown].toSorted((a, b) => a - b)) {
    const part = parts.at(-1)
    if (part?.to === index - 1) part.to = index
    else parts.push({ from: index, to: index })
  }
  const named = parts.slice(0, mostParts).map(({ from, to }) => linesText(first + from, first + to))
  const more = parts.length > named.length ? [`${parts.length - named.length} more parts`] : []
  return `lines ${[...named, ...more].join(", ").replace(/, ([^,]*)$/, " and $1")}`
}

const noRoom = "\n\n(There is no room for it here: read what you need of it.)"

/** Which part of the text is shown, and how much that is; empty for the whole. */
const noteOf = (
  resolved: ResolvedReference,
  { isWhole, lines: shown }: Excerpt,
  lines: number,
  share: number
): string => {
  const { content, reference } = resolved
  const file = content.kind === "file" && content.first !== undefined ? { ...content, first: content.first } : undefined
  if (isWhole && file?.of === undefined) return ""
  if (shown.size === 0 && reference.kind === "file") return noRoom
  const of = file?.of ?? lines
  const asked = reference.kind === "file" ? reference.lines : undefined
  const last = file === undefined ? 0 : file.first + lines - 1
  const isAll = asked === undefined || (asked.from === file?.first && asked.to >= last)
  const around = isAll
    ? ""
    : `, around ${asked.from === asked.to ? "line" : "the lines"} ${linesText(asked.from, Math.min(asked.to, last))}`
  if (isWhole) return `\n\n(Lines ${file?.first} to ${last} of ${of}${around}.)`
  if (file === undefined) return `\n\n(There is room for ${percentOf(share)} % of it.${rest(resolved)})`
  const percent = file.of === undefined ? percentOf(share) : Math.round((100 * shown.size) / of)
  const place = `${partsText(shown, file.first)} of ${of}${around}, ${percent} % of the file`
  return `\n\n(There is room for a part: ${place}.${rest(resolved)})`
}

/** True for what stands in the prompts of all tasks, before their references. */
const isAbove = ({ reference }: ResolvedReference): boolean =>
  reference.kind === "anchor" && reference.target === descriptionAnchor

const headingOf = ({ reference: { href, title } }: ResolvedReference): string =>
  `## Reference information for ${oneLine(title === "" ? href : title)}\n\nThe contents of ${oneLine(href)}`

/** `## Reference information for <title>`, `The contents of <href>`, and the content in a fence. */
const block = (resolved: ResolvedReference, text: string, note: string): string => {
  const { content } = resolved
  if (isAbove(resolved)) return rawBlock(headingOf(resolved), "(They stand above, under `## Project description`.)")
  const encoding = content.kind === "file" && content.encoding !== undefined ? `\n\n(${content.encoding})` : ""
  const heading = `${headingOf(resolved)}${note}${encoding}`
  if (note === noRoom) return `${heading}\n\n`
  if (content.kind === "file") return fileBlock(heading, { text, language: content.language })
  return fencedBlock(heading, text.trim() === "" ? "(empty)" : text.trim(), "markdown")
}

/** A reference as a prompt shows it. */
export interface ShownReference {
  readonly resolved: ResolvedReference
  readonly block: string
  /** How many characters of the content are shown. */
  readonly shown: number
  /** Present when not all that is asked for is shown. */
  readonly cut?: CutReference
}

interface ReferenceRoom {
  readonly contents: number
  readonly blocks?: number | undefined
  readonly whole?: number | undefined
}

/** The blocks of all references that have content. */
export const referenceExcerpts = (
  resolved: ReadonlyArray<ResolvedReference>,
  sought: Sought,
  /** The most characters of all contents, and of all blocks: where all are shown whole, and where they are cut. */
  { blocks = Number.MAX_SAFE_INTEGER, contents, whole = 0 }: ReferenceRoom
): ReadonlyArray<ShownReference> => {
  const sources = resolved.flatMap((one) => {
    const source = sourceOf(one)
    if (source === undefined) return []
    const { text } = excerptOf(source, sought, Number.MAX_SAFE_INTEGER)
    // A cut has a note, and fences grow with what they hold.
    const frame = block(one, "", "").length + 280
    const isFile = one.reference.kind === "file"
    return [{ one, source, wanted: isAbove(one) ? 0 : text.length, isFile, frame, size: text.length }]
  })
  const frames = sources.reduce((sum, { frame }) => sum + frame, 0)
  const all = sources.reduce((sum, { wanted }) => sum + wanted, 0)
  const limits = usefulShares(
    sources.map(({ wanted }) => wanted),
    Math.max(0, Math.min(contents, Math.max(blocks, frames + all <= whole ? whole : 0) - frames)),
    sources.map(({ isFile }) => (isFile ? leastOfFile : 0))
  )
  return sources.map(({ one, size, source }, index) => {
    const fitted = excerptOf(source, sought, isAbove(one) ? size : (limits[index] ?? 0))
    const { lines } = source
    const { reference } = one
    const part: CutReference = {
      href: reference.href,
      lines,
      first: source.first,
      path: reference.kind === "file" ? reference.target : undefined,
      asked: askedOf(one),
      shown: fitted.lines,
      longestLine
    }
    const isSeen = fitted.isWhole || seenShare(part) === 1
    const note = noteOf(one, fitted, lines.length, seenShare({ ...part, asked: undefined }))
    const shown = { resolved: one, block: block(one, fitted.text, note), shown: fitted.text.length }
    return isSeen ? shown : Object.assign(shown, { cut: part })
  })
}
