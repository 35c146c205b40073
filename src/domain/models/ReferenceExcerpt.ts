/**
 * Shows references in prompts: whole if all of them fit, otherwise the parts that help the task. A note says which part
 * is shown, and how to see the rest.
 */
import * as Arr from "effect/Array"
import { changelogLines } from "../excerpts/ChangelogLines.ts"
import { isChangelog } from "../excerpts/SearchRank.ts"
import { type Excerpt, excerptOf, type ExcerptSource } from "../excerpts/TextExcerpt.ts"
import { longestLine } from "../excerpts/Packing.ts"
import type { SearchTerms } from "../excerpts/SearchTerms.ts"
import { outline } from "../markdown/Outline.ts"
import { fencedBlock, fileBlock, rawBlock } from "../markdown/PromptBlock.ts"
import { sectionEnd } from "../markdown/Sections.ts"
import { descriptionAnchor } from "./Briefing.ts"
import type { ResolvedReference } from "./ReferenceContent.ts"
import { type CutReference, percentOf, coverageOf } from "./Coverage.ts"
import { usefulShares } from "../text/Excerpt.ts"
import type { LineRange } from "../text/LineRange.ts"

/**
 * The minimum length of a shown file in characters. If the files' shares of the budget would be smaller, some files are
 * left out.
 */
const leastOfFile = 900

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, " ")

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

/** The indexes of the lines with a result's summary and its heading. They matter more than the details. */
const summaryLines = (lines: ReadonlyArray<string>): ReadonlyArray<number> => {
  const text = outline(lines.join("\n"))
  const [summary] = text.sections
  if (summary?.line !== 1 || !/^Result summary/i.test(summary.heading)) return []
  return Arr.range(0, sectionEnd(text, summary, ({ depth }) => depth <= 2) - 1)
}

const resultGap = (from: number, to: number): string => `(${to - from + 1} lines left out)`

/**
 * Returns a function that makes the note about omitted lines of a page. The note gives the characters from and to which
 * text is missing, so that the model can read on there.
 */
const pageGap = (lines: ReadonlyArray<string>) => {
  const starts = [0]
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1)
  return (from: number, to: number): string => `(characters ${starts[from]} to ${starts[to + 1]} left out)`
}

/**
 * The indexes, from 0, of the lines to which a reference is narrowed. Undefined if the reference names no lines. Also
 * undefined for a single line, because such a reference means the block around the line.
 */
const askedOf = ({ content, reference }: ResolvedReference): LineRange | undefined => {
  if (reference.kind !== "file" || content.kind !== "file" || content.first === undefined) return undefined
  const { lines } = reference
  if (lines === undefined || lines.from === lines.to) return undefined
  const last = content.first + linesOf(content.text).length - 1
  return { from: lines.from - content.first, to: Math.min(lines.to, last) - content.first }
}

const isWholeChangelog = ({ content, reference }: ResolvedReference): boolean =>
  content.kind === "file" && content.first === 1 && isChangelog(reference.target)

/**
 * The lines of a file that are shown before others: those that were asked for, or for a task that changes files, all of a
 * changelog from the newest release on.
 */
const firstShown = (
  resolved: ResolvedReference,
  text: string,
  mayChange: boolean
): ReadonlyArray<number> | undefined => {
  const askedLines = askedOf(resolved)
  if (askedLines !== undefined) return Arr.range(askedLines.from, askedLines.to)
  return mayChange && isWholeChangelog(resolved) ? changelogLines(text) : undefined
}

/** The content as lines. Undefined if it does not exist yet. */
const sourceOf = (resolved: ResolvedReference, mayChange: boolean): ExcerptSource | undefined => {
  const { content, reference } = resolved
  if (content.kind === "later") return undefined
  const lines = linesOf(content.text)
  if (reference.kind === "url") return { lines, language: "page", gap: pageGap(lines) }
  if (content.kind === "markdown") {
    return { lines, language: "markdown", gap: resultGap, keep: summaryLines(lines) }
  }
  const { first, language } = content
  const start = first ?? 1
  const gap = (from: number, to: number): string => `(${start + from} to ${start + to} left out)`
  const keep = firstShown(resolved, content.text, mayChange)
  return { lines, language, gap, first, ...(keep === undefined ? {} : { keep }) }
}

const rest = ({ reference }: ResolvedReference): string => {
  if (reference.kind === "url") return " `fetch_url` with `start` shows the rest."
  return reference.kind === "file" ? " `read_file` with `start_line` shows the rest." : ""
}

const linesText = (from: number, to: number): string => (from === to ? `${from}` : `${from} to ${to}`)

/** A note names at most this many parts, and counts the others. */
const mostParts = 6

/** Names the shown lines: `lines 40 to 98 and 120`. `first` is the number at index 0. */
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

const overBudgetNote = "\n\n(There is no room for it here: read what you need of it.)"

/** Says which part of a text is shown. Empty if the whole text is shown. */
const noteOf = (
  resolved: ResolvedReference,
  { isWhole, lines: shownLines }: Excerpt,
  lines: number,
  share: number
): string => {
  const { content, reference } = resolved
  const file = content.kind === "file" && content.first !== undefined ? { ...content, first: content.first } : undefined
  if (isWhole && file?.of === undefined) return ""
  if (shownLines.size === 0 && reference.kind === "file") return overBudgetNote
  const of = file?.of ?? lines
  const askedLines = reference.kind === "file" ? reference.lines : undefined
  const last = file === undefined ? 0 : file.first + lines - 1
  const isAll = askedLines === undefined || (askedLines.from === file?.first && askedLines.to >= last)
  const around = isAll
    ? ""
    : `, around ${askedLines.from === askedLines.to ? "line" : "the lines"} ${linesText(askedLines.from, Math.min(askedLines.to, last))}`
  if (isWhole) return `\n\n(Lines ${file?.first} to ${last} of ${of}${around}.)`
  if (file === undefined) return `\n\n(There is room for ${percentOf(share)} % of it.${rest(resolved)})`
  const percent = file.of === undefined ? percentOf(share) : Math.round((100 * shownLines.size) / of)
  const place = `${partsText(shownLines, file.first)} of ${of}${around}, ${percent} % of the file`
  return `\n\n(There is room for a part: ${place}.${rest(resolved)})`
}

/** True for the project description, which a task's prompt shows above its references. */
const isAbove = ({ reference }: ResolvedReference): boolean =>
  reference.kind === "anchor" && reference.target === descriptionAnchor

const headingOf = ({ reference: { href, title } }: ResolvedReference): string =>
  `## Reference information for ${oneLine(title === "" ? href : title)}\n\nThe contents of ${oneLine(href)}`

const block = (resolved: ResolvedReference, text: string, note: string): string => {
  const { content } = resolved
  if (isAbove(resolved)) return rawBlock(headingOf(resolved), "(They stand above, under `## Project description`.)")
  const encoding = content.kind === "file" && content.encoding !== undefined ? `\n\n(${content.encoding})` : ""
  const heading = `${headingOf(resolved)}${note}${encoding}`
  if (note === overBudgetNote) return `${heading}\n\n`
  if (content.kind === "file") return fileBlock(heading, { text, language: content.language })
  return fencedBlock(heading, text.trim() === "" ? "(empty)" : text.trim(), "markdown")
}

export interface ShownReference {
  readonly resolved: ResolvedReference
  readonly block: string
  /** How many characters of the content the prompt shows. */
  readonly shownCharacters: number
  /** If requested lines are missing in the prompt: what the prompt shows of the reference. */
  readonly cut?: CutReference
}

interface ReferenceRoom {
  /** For a task that changes files: the maximum length of a changelog. It only shows where an entry goes. */
  readonly changelog?: number | undefined
  readonly contents: number
  readonly blocks?: number | undefined
  readonly whole?: number | undefined
}

export const referenceExcerpts = (
  resolved: ReadonlyArray<ResolvedReference>,
  terms: SearchTerms,
  /**
   * Budgets in characters. `contents` limits the contents alone. The others limit the contents with the headings and
   * fences around them: `whole` if no content is cut, otherwise `blocks`.
   */
  { blocks = Number.MAX_SAFE_INTEGER, changelog, contents, whole = 0 }: ReferenceRoom
): ReadonlyArray<ShownReference> => {
  const sources = resolved.flatMap((resolvedReference) => {
    const source = sourceOf(resolvedReference, changelog !== undefined)
    if (source === undefined) return []
    const { text } = excerptOf(source, terms, Number.MAX_SAFE_INTEGER)
    // 280 characters are for the note about a cut, and for a longer fence.
    const frame = block(resolvedReference, "", "").length + 280
    const isFile = resolvedReference.reference.kind === "file"
    return [
      {
        one: resolvedReference,
        source,
        wanted: isAbove(resolvedReference)
          ? 0
          : Math.min(text.length, isWholeChangelog(resolvedReference) ? (changelog ?? Infinity) : Infinity),
        isFile,
        frame,
        size: text.length
      }
    ]
  })
  const frames = sources.reduce((sum, { frame }) => sum + frame, 0)
  const all = sources.reduce((sum, { wanted }) => sum + wanted, 0)
  const limits = usefulShares(
    sources.map(({ wanted }) => wanted),
    Math.max(0, Math.min(contents, Math.max(blocks, frames + all <= whole ? whole : 0) - frames)),
    sources.map(({ isFile }) => (isFile ? leastOfFile : 0))
  )
  return sources.map(({ one: resolvedReference, size, source }, index) => {
    const fitted = excerptOf(source, terms, isAbove(resolvedReference) ? size : (limits[index] ?? 0))
    const { lines } = source
    const { reference } = resolvedReference
    const part: CutReference = {
      href: reference.href,
      lines,
      first: source.first,
      path: reference.kind === "file" ? reference.target : undefined,
      askedLines: askedOf(resolvedReference),
      shownLines: fitted.lines,
      longestLine
    }
    const isSeen = fitted.isWhole || coverageOf(part).share === 1
    const note = noteOf(resolvedReference, fitted, lines.length, coverageOf({ ...part, askedLines: undefined }).share)
    const excerpt = {
      resolved: resolvedReference,
      block: block(resolvedReference, fitted.text, note),
      shownCharacters: fitted.text.length
    }
    return isSeen ? excerpt : Object.assign(excerpt, { cut: part })
  })
}
