/** Finds the lines of a text that another text replaces. */
import * as TextDiff from "effect/TextDiff"

/** New lines that replace the old lines from index `from` up to `to` (exclusive). */
export interface ReplacedLines {
  readonly from: number
  readonly to: number
  readonly lines: ReadonlyArray<string>
}

/** The replacements that turn `before` into `after`. A part with more than `maxEdits` differences is replaced whole. */
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
