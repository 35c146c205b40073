/**
 * Numbers, times and names as lines for a person have them.
 */
import type { RunReport } from "../../domain/runs/RunReport.ts"
import { printable } from "../../domain/text/Printable.ts"

/** `1 task`, `2 tasks`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

/** `45 s`, `4 min 45 s` */
export const duration = (total: number): string => {
  const minutes = Math.floor(total / 60)
  return minutes === 0 ? `${total} s` : `${minutes} min ${total % 60} s`
}

/** `1.7 s`, `4 min 45 s` */
export const seconds = (ms: number): string =>
  ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : duration(Math.round(ms / 1000))

/** A name from a model, bounded. */
export const shown = (text: string, most = 160): string => {
  const line = printable(text)
  return line.length > most ? `${line.slice(0, most)}...` : line
}

/** `no_valid_plan` as `no valid plan`. */
export const statusWords = (status: RunReport["status"]): string => status.replaceAll("_", " ")
