/** What is found on a machine before a run: one finding for each thing that a run needs, with what to do about it. */

import { printable } from "../text/Printable.ts"
import { wrapLine } from "../text/TextWidth.ts"
import { counted } from "../text/Format.ts"

/** `note` is good to know and stops nothing; a run cannot start while there is a `problem`. */
export interface Finding {
  readonly name: string
  readonly state: "ok" | "note" | "problem"
  /** A clause or sentences. */
  readonly what: string
  /** What to do, as a sentence; absent when there is nothing to do. */
  readonly remedy?: string | undefined
  /** What can be chosen instead, the most suitable first. */
  readonly choices?: ReadonlyArray<string>
}

export const canStart = (findings: ReadonlyArray<Finding>): boolean =>
  findings.every(({ state }) => state !== "problem")

/** How findings are painted; texts stay as they are without colours. `columns` is absent without a terminal. */
export interface FindingStyle {
  readonly paint: Readonly<Record<Finding["state"], (text: string) => string>>
  readonly columns: number | undefined
}

/** Fewer columns leave no space for a text beside two others. */
const leastColumns = 60

/** Two columns and a text; a remedy stands below what it is for. In a narrow terminal the texts stand below the names. */
export const findingLines = (
  findings: ReadonlyArray<Finding>,
  { columns, paint }: FindingStyle
): ReadonlyArray<string> => {
  const width = Math.max(0, ...findings.map(({ name }) => name.length))
  const isNarrow = columns !== undefined && columns < leastColumns
  const indent = " ".repeat(isNarrow ? 4 : 2 + 9 + width + 2)
  const wrapped = (text: string): ReadonlyArray<string> =>
    columns === undefined ? [text] : wrapLine(text, columns, indent)
  return findings.flatMap(({ name, remedy = "", state, what }) => {
    const lead = `  ${paint[state](state.padEnd(9))}${name.padEnd(width)}`
    const [first = "", ...others] = `${what}\n${remedy}`
      .trimEnd()
      .split("\n")
      .flatMap((text) => wrapped(`${indent}${printable(text)}`))
    return isNarrow ? [lead.trimEnd(), first, ...others] : [`${lead}  ${first.slice(indent.length)}`, ...others]
  })
}

/** The last line: whether a run can start. */
export const verdictOf = (findings: ReadonlyArray<Finding>): string => {
  const problems = findings.filter(({ state }) => state === "problem").length
  if (problems === 0) return "A run can start."
  return `A run cannot start yet: ${counted(problems, "problem")}.`
}
