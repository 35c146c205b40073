/** Tracks the download of a model, which has several parts. */
import * as Schema from "effect/Schema"
import { sizeText } from "../text/Format.ts"

/** A progress message of the server: what the server does, and how many bytes of a part it has. */
export const PullStep = Schema.Struct({
  status: Schema.String,
  digest: Schema.optionalKey(Schema.String),
  total: Schema.optionalKey(Schema.Finite),
  completed: Schema.optionalKey(Schema.Finite)
})
export type PullStep = typeof PullStep.Type

/** The progress of all parts together. */
export interface PullProgress {
  /** What the server does now. */
  readonly status: string
  /** The size of all known parts, in bytes. */
  readonly total: number
  /** The downloaded bytes. */
  readonly completed: number
}

/** Makes a function that turns each progress message into the progress of the whole download. */
export const makePullProgress = () => {
  const parts = new Map<string, { readonly total: number; readonly completed: number }>()
  return ({ completed = 0, digest, status, total = 0 }: PullStep): PullProgress => {
    if (digest !== undefined) parts.set(digest, { total, completed })
    const sum = (of: "completed" | "total") => [...parts.values()].reduce((all, part) => all + part[of], 0)
    return { status, total: sum("total"), completed: sum("completed") }
  }
}

/** The progress in whole percent; 0 while the size is unknown. */
export const pulledPercent = ({ completed, total }: PullProgress): number =>
  total === 0 ? 0 : Math.floor((100 * completed) / total)

/**
 * The progress as text: `42 %, 2.2 GB of 5.2 GB, 31 MB/s`. While the size is unknown, the text says what the server
 * does.
 */
export const pullText = (progress: PullProgress, bytesPerSecond?: number): string => {
  const { completed, status, total } = progress
  if (total === 0 || completed === total) return status
  const speed = bytesPerSecond === undefined || bytesPerSecond <= 0 ? "" : `, ${sizeText(bytesPerSecond)}/s`
  return `${pulledPercent(progress)} %, ${sizeText(completed)} of ${sizeText(total)}${speed}`
}
