/**
 * What is found on a machine before a run: one finding for each thing that a run needs, with what to do about it.
 */

/** `note` is good to know and stops nothing; a run cannot start while there is a `problem`. */
export interface Finding {
  readonly name: string
  readonly state: "ok" | "note" | "problem"
  /** A clause or sentences. */
  readonly what: string
  /** What to do, as a sentence; absent when there is nothing to do. */
  readonly remedy?: string
}

/** True when a run can start. */
export const canStart = (findings: ReadonlyArray<Finding>): boolean =>
  findings.every(({ state }) => state !== "problem")

/** How findings are painted; texts stay as they are without colours. */
export type FindingPaint = Readonly<Record<Finding["state"], (text: string) => string>>

/** Two columns and a text; a remedy stands below what it is for. */
export const findingLines = (findings: ReadonlyArray<Finding>, paint: FindingPaint): ReadonlyArray<string> => {
  const width = Math.max(0, ...findings.map(({ name }) => name.length))
  const indent = " ".repeat(2 + 9 + width + 2)
  return findings.map(({ name, remedy, state, what }) => {
    const line = `  ${paint[state](state.padEnd(9))}${name.padEnd(width)}  ${what}`
    return remedy === undefined ? line : `${line}\n${indent}${remedy}`
  })
}

/** The last line: whether a run can start. */
export const verdictOf = (findings: ReadonlyArray<Finding>): string => {
  const problems = findings.filter(({ state }) => state === "problem").length
  if (problems === 0) return "A run can start."
  return `A run cannot start yet: ${problems} ${problems === 1 ? "problem" : "problems"}.`
}
