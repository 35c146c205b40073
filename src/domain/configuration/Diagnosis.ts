/**
 * What the program finds on a machine before a run: one finding for each thing that a run needs, with a remedy if it is
 * missing.
 */

import { printable } from "../text/Printable.ts"
import { wrapLine } from "../text/TextWidth.ts"
import { counted } from "../text/Format.ts"

/** A `note` only informs. A `problem` means that no run can start. */
export interface Finding {
  readonly name: string
  readonly state: "ok" | "note" | "problem"
  /** What was found, as a clause or as sentences. */
  readonly what: string
  /** The remedy as a sentence; absent if no remedy is needed. */
  readonly remedy?: string | undefined
  /** Possible choices, the most suitable first. */
  readonly choices?: ReadonlyArray<string>
}

export const canStart = (findings: ReadonlyArray<Finding>): boolean =>
  findings.every(({ state }) => state !== "problem")

/**
 * How findings are printed. Without colours, `paint` returns texts unchanged. `columns` is absent without a terminal.
 */
export interface FindingStyle {
  readonly paint: Readonly<Record<Finding["state"], (text: string) => string>>
  readonly columns: number | undefined
}

/**
 * The minimum width of a terminal, in columns, for a finding on one line. In a narrower terminal, the text is below the
 * name and the state.
 */
const leastColumns = 60

/** The lines of each finding: name, state and text, and the remedy below. */
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

/** Says whether a run can start. */
export const verdictOf = (findings: ReadonlyArray<Finding>): string => {
  const problems = findings.filter(({ state }) => state === "problem").length
  if (problems === 0) return "A run can start."
  return `A run cannot start yet: ${counted(problems, "problem")}.`
}
