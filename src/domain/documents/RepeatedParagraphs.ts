/**
 * Removes paragraphs, lines and sentences that an answer repeats word for word. Code, tables, lists, quotations and
 * short lines may repeat for a reason, and stay.
 */
import { readLines } from "../markdown/Line.ts"

/** Text with fewer words stays: a label, a refrain or a short answer may repeat. */
const leastWords = 8

const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2}|\p{L}[\p{L}\p{N}'’_-]*/gu

const isLong = (text: string): boolean => (text.match(word)?.length ?? 0) >= leastWords

const plainOf = (text: string): string => text.trim().replaceAll(/\s+/g, " ")

/**
 * Consecutive lines of one kind. Lines of the kind "prose" form a paragraph. Lines of the other kinds stay unchanged.
 */
interface TextBlock {
  readonly kind: "prose" | "heading" | "blank" | "other"
  readonly lines: ReadonlyArray<string>
}

/** True for a line of a list, table, quotation, HTML or indented code. */
const isOther = (line: string): boolean => /^(?:\s*(?:[-*+•>|<]|\d+[.)]\s)|\t| {4})|\|/.test(line)

const blocksOf = (text: string): ReadonlyArray<TextBlock> => {
  const blocks: Array<{ kind: TextBlock["kind"]; lines: Array<string> }> = []
  let fence = ""
  for (const line of readLines(text)) {
    const last = blocks.at(-1)
    const isInside = fence !== ""
    if (isInside && line.closing?.startsWith(fence) === true) fence = ""
    else if (!isInside && line.opening !== undefined) fence = line.opening.mark
    const isCode = isInside || fence !== ""
    const kind =
      isCode || (!line.isBlank && isOther(line.text))
        ? "other"
        : line.isBlank
          ? "blank"
          : line.isHeading
            ? "heading"
            : "prose"
    /* A line directly after a list continues its last item. */
    const joins = last !== undefined && (last.kind === kind || (last.kind === "other" && kind === "prose"))
    if (joins && kind !== "heading") last.lines.push(line.text)
    else blocks.push({ kind, lines: [line.text] })
  }
  return blocks
}

/** The line without each sentence that equals the sentence directly before it. */
const withoutEqualSentences = (line: string): string => {
  const sentences = line.match(/.+?(?:[.!?。！？]+(?=\s|$|\p{Script=Han})\s*|$)/gu) ?? []
  const kept = sentences.filter((one, index) => !isLong(one) || plainOf(one) !== plainOf(sentences[index - 1] ?? ""))
  return kept.length === sentences.length ? line : kept.join("").trimEnd()
}

/** The text without repetitions (`text`), and the number of removed paragraphs and lines (`dropped`). */
export const withoutRepeats = (text: string): { readonly text: string; readonly dropped: number } => {
  const seen = new Set<string>()
  let dropped = 0
  const isNew = (part: string): boolean => {
    const plain = plainOf(part)
    if (!isLong(plain)) return true
    if (seen.has(plain)) dropped += 1
    return !seen.has(plain) && seen.add(plain) !== undefined
  }
  const kept: Array<TextBlock> = []
  /** True if text below the current heading was removed. */
  let isCut = false
  const endSection = (): void => {
    const at = kept.findLastIndex(({ kind }) => kind !== "blank")
    if (isCut && kept[at]?.kind === "heading") kept.splice(at)
    isCut = false
  }
  for (const block of blocksOf(text)) {
    if (block.kind === "heading") endSection()
    if (block.kind !== "prose") {
      if (block.kind !== "blank" || kept.at(-1)?.kind !== "blank") kept.push(block)
      continue
    }
    const before = dropped
    const lines = block.lines.filter(isNew).map((line) => {
      const short = withoutEqualSentences(line)
      if (short !== line) dropped += 1
      return short
    })
    const isWhole = block.lines.length === 1 || isNew(block.lines.join(" "))
    if (lines.length > 0 && isWhole) kept.push({ kind: "prose", lines })
    else {
      isCut = true
      while (kept.at(-1)?.kind === "blank") kept.pop()
      kept.push({ kind: "blank", lines: [""] })
    }
    if (dropped > before) isCut = true
  }
  endSection()
  return dropped === 0
    ? { text, dropped }
    : {
        text: kept
          .flatMap(({ lines }) => lines)
          .join("\n")
          .trim(),
        dropped
      }
}

export const repeatedText = (dropped: number): string =>
  dropped === 1 ? "Left out a text that the answer repeats." : `Left out ${dropped} texts that the answer repeats.`
