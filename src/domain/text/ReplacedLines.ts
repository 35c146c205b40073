/**
 * Finds which lines of a text were replaced.
 */
import * as TextDiff from "effect/TextDiff"

/** New lines for the index range of old ones. */
export interface ReplacedLines {
  readonly from: number
  readonly to: number
  readonly lines: ReadonlyArray<string>
}

/**
 * The replacements that turn the first lines into the second. Above `maxEdits` differences, a part counts as replaced as a
 * whole.
 */
export const replacedLines = (
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>,
  maxEdits: number
): ReadonlyArray<ReplacedLines> => {
  const ranges: Array<{ from: number; to: number; lines: Array<string> }> = []
  let at = 0
  for (const { _tag, items } of TextDiff.diff(before, after, { maxEdits })) {
    const last = ranges.at(-1)
    const open = last?.to === at ? last : { from: at, to: at, lines: [] }
    if (_tag !== "Equal" && open !== last) ranges.push(open)
    if (_tag === "Insert") open.lines.push(...items)
    else at += items.length
    if (_tag === "Delete") open.to = at
  }
  return ranges
}
