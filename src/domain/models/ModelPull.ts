/**
 * Tracks the download of a model, which has several parts.
 */
import * as Schema from "effect/Schema"
import { sizeText } from "../text/Format.ts"

/** One progress message of the server: the action, and the bytes of a part. */
export const PullStep = Schema.Struct({
  status: Schema.String,
  digest: Schema.optionalKey(Schema.String),
  total: Schema.optionalKey(Schema.Finite),
  completed: Schema.optionalKey(Schema.Finite)
})
export type PullStep = typeof PullStep.Type

/** All parts together. */
export interface PullProgress {
  /** The current step of the server. */
  readonly status: string
  /** Bytes in all. */
  readonly total: number
  /** Bytes that have come. */
  readonly completed: number
}

/** Adds up the parts of a model, step by step. */
export const makePullProgress = () => {
  const parts = new Map<string, { readonly total: number; readonly completed: number }>()
  return ({ completed = 0, digest, status, total = 0 }: PullStep): PullProgress => {
    if (digest !== undefined) parts.set(digest, { total, completed })
    const sum = (of: "completed" | "total") => [...parts.values()].reduce((all, part) => all + part[of], 0)
    return { status, total: sum("total"), completed: sum("completed") }
  }
}

/** In whole percent; 0 while no size is known. */
export const pulledPercent = ({ completed, total }: PullProgress): number =>
  total === 0 ? 0 : Math.floor((100 * completed) / total)

/** `42 %, 2.2 GB of 5.2 GB, 31 MB/s`; the action when there is no count. */
export const pullText = (progress: PullProgress, bytesPerSecond?: number): string => {
  const { completed, status, total } = progress
  if (total === 0 || completed === total) return status
  const speed = bytesPerSecond === undefined || bytesPerSecond <= 0 ? "" : `, ${sizeText(bytesPerSecond)}/s`
  return `${pulledPercent(progress)} %, ${sizeText(completed)} of ${sizeText(total)}${speed}`
}
