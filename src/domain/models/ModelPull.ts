/** How far a server is with getting a model, which comes in several parts. */
import * as Schema from "effect/Schema"
import { sizeText } from "../text/Format.ts"

/** What a server says while it gets a model: what it does, and of a part how much it has; sizes in bytes. */
export const PullStep = Schema.Struct({
  status: Schema.String,
  digest: Schema.optionalKey(Schema.String),
  total: Schema.optionalKey(Schema.Finite),
  completed: Schema.optionalKey(Schema.Finite)
})
export type PullStep = typeof PullStep.Type

/** All parts together. */
export interface PullProgress {
  readonly status: string
  readonly total: number
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

/** In whole percent; 0 as long as no size is known. */
export const pulledPercent = ({ completed, total }: PullProgress): number =>
  total === 0 ? 0 : Math.floor((100 * completed) / total)

/** `42 %, 2.2 GB of 5.2 GB, 31 MB/s`; what the server does where nothing is counted. */
export const pullText = (progress: PullProgress, bytesPerSecond?: number): string => {
  const { completed, status, total } = progress
  if (total === 0 || completed === total) return status
  const speed = bytesPerSecond === undefined || bytesPerSecond <= 0 ? "" : `, ${sizeText(bytesPerSecond)}/s`
  return `${pulledPercent(progress)} %, ${sizeText(completed)} of ${sizeText(total)}${speed}`
}
