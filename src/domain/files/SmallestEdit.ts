/**
 * The change from one text to another as one replacement: the lines from the first that differs to the last, with so many of
 * the lines around them that the old ones stand in the text once.
 */
import type { TextEdit } from "./TextEdit.ts"

const isOnce = (text: string, part: string): boolean => {
  const at = text.indexOf(part)
  return part !== "" && at >= 0 && text.indexOf(part, at + 1) < 0
}

/** Nothing when the texts are equal. */
export const smallestEdit = (before: string, after: string): TextEdit | undefined => {
  if (before === after) return undefined
  const [old, now] = [before.split("\n"), after.split("\n")]
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  const textOf = (lines: ReadonlyArray<string>): string => lines.slice(head, lines.length - tail).join("\n")
  /* Without a line that stays, the end of the last line removed would stay as an empty line. */
  const removesLines = () => now.length === head + tail
  while ((head > 0 || tail > 0) && (removesLines() || !isOnce(before, textOf(old)))) {
    head = Math.max(0, head - 1)
    tail = Math.max(0, tail - 1)
  }
  return { oldText: textOf(old), newText: textOf(now) }
}
