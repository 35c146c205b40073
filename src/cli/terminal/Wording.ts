/**
 * Numbers, times and names as lines for a person have them.
 */
import type { RunReport } from "../../domain/runs/RunReport.ts"
import { printable } from "../../domain/text/Printable.ts"

/** `1 task`, `2 tasks`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

/** A name from a model, bounded. */
export const shown = (text: string, most = 160): string => {
  const line = printable(text)
  return line.length > most ? `${line.slice(0, most)}...` : line
}

/** `no_valid_plan` as `no valid plan`. */
export const statusWords = (status: RunReport["status"]): string => status.replaceAll("_", " ")
