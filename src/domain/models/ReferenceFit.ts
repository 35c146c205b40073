/**
 * The blocks that show the references of a task in a prompt. What does not fit is shown in parts: the outline, and what the
 * words of the task match, with a note on how to see the rest.
 */
import { fencedBlock, fileBlock, rawBlock } from "../markdown/PromptBlock.ts"
import { shares } from "../text/Excerpt.ts"
import { descriptionAnchor } from "./Briefing.ts"
import { fitMaterial, type FittedMaterial, type Material } from "./MaterialFit.ts"
import type { ResolvedReference } from "./ReferenceContent.ts"

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
const materialOf = ({ content, reference }: ResolvedReference): Material | undefined => {
  if (content.kind === "later") return undefined
  const lines = linesOf(content.text)
  if (reference.kind === "url") return { lines, language: "page", gap: pageGap(lines) }
  if (content.kind === "markdown") {
    return { lines, language: "markdown", gap: resultGap, keep: summaryLines(lines) }
  }
  const { first, language } = content
  const start = first ?? 1
  const gap = (from: number, to: number): string => `(${start + from} to ${start + to} left out)`
  return { lines, language, gap, ...(first === undefined ? {} : { first }) }
}

const rest = ({ reference }: ResolvedReference): string => {
  if (reference.kind === "url") return " `fetch_url` with `start` shows what is left out."
  return reference.kind === "file" ? " `read_file` with `start_line` shows what is left out." : ""
}

/** Which part of the file is shown, and why; empty for the whole. */
const noteOf = (resolved: ResolvedReference, { isWhole, shown }: FittedMaterial, lines: number): string => {
  const { content, reference } = resolved
  const range = content.kind === "file" && content.of !== undefined && content.first !== undefined
  const asked = reference.kind === "file" ? reference.lines : undefined
  const around = asked?.from === asked?.to && lines > 1 ? `, around line ${asked?.from}` : ""
  const place = range ? `Lines ${content.first} to ${(content.first ?? 1) + lines - 1} of ${content.of}${around}.` : ""
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
const block = (resolved: ResolvedReference, fitted: FittedMaterial, lines: number): string => {
  const { content } = resolved
  if (isAbove(resolved)) return rawBlock(headingOf(resolved), "(They stand above, under `## Project description`.)")
  const heading = `${headingOf(resolved)}${noteOf(resolved, fitted, lines)}`
  if (content.kind === "file") return fileBlock(heading, { text: fitted.text, language: content.language })
  return fencedBlock(heading, fitted.text.trim() === "" ? "(empty)" : fitted.text.trim(), "markdown")
}

export interface ReferenceRoom {
  /** The most characters of all contents. */
  readonly budget: number
  /** The most characters of all blocks, where that is known. */
  readonly room?: number
  /** The most characters of one result. */
  readonly result?: number
}

/** The blocks of all references that have content, and how many characters of each are shown. */
export const fitReferences = (
  resolved: ReadonlyArray<ResolvedReference>,
  words: ReadonlyArray<string>,
  { budget, result = Number.MAX_SAFE_INTEGER, room = Number.MAX_SAFE_INTEGER }: ReferenceRoom
): ReadonlyArray<{ readonly resolved: ResolvedReference; readonly block: string; readonly shown: number }> => {
  const materials = resolved.flatMap((one) => {
    const material = materialOf(one)
    if (material === undefined) return []
    const whole = fitMaterial(material, words, Number.MAX_SAFE_INTEGER)
    const most = one.reference.kind === "task_result" ? result : Number.MAX_SAFE_INTEGER
    // A cut has a note, and fences grow with what they hold.
    const frame = block(one, { ...whole, text: "" }, material.lines.length).length + 220
    const wanted = isAbove(one) ? 0 : Math.min(most, whole.text.length)
    return [{ one, material, wanted, frame, size: whole.text.length }]
  })
  const frames = materials.reduce((sum, { frame }) => sum + frame, 0)
  const limits = shares(
    materials.map(({ wanted }) => wanted),
    Math.max(0, Math.min(budget, room - frames))
  )
  return materials.map(({ material, one, size }, index) => {
    const fitted = fitMaterial(material, words, isAbove(one) ? size : (limits[index] ?? 0))
    return { resolved: one, block: block(one, fitted, material.lines.length), shown: fitted.text.length }
  })
}
