/**
 * The calls that decided how long a run took: each began when the one before it had ended, and the last one ended last.
 * Making any of them shorter would have made the run shorter.
 */
import * as Schema from "effect/Schema"
import { ReportSpan } from "./Spans.ts"

export const CriticalPath = Schema.Struct({
  spans: Schema.Array(ReportSpan),
  /** Time between them, in which the host worked or waited for a slot of the server. */
  betweenMs: Schema.Finite
})
export type CriticalPath = typeof CriticalPath.Type

/** The last of the spans that had ended when this one began. */
const before = (byEnd: ReadonlyArray<ReportSpan>, span: ReportSpan): ReportSpan | undefined => {
  let low = 0
  let high = byEnd.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((byEnd[middle]?.endMs ?? 0) <= span.startMs) low = middle + 1
    else high = middle
  }
  for (let at = low - 1; at >= 0; at -= 1) {
    const found = byEnd[at]
    /* Two spans without duration at one time would follow each other forever. */
    if (found !== undefined && found !== span && found.startMs < span.startMs) return found
  }
  return undefined
}

export const criticalPath = (spans: ReadonlyArray<ReportSpan>): CriticalPath => {
  const byEnd = spans.filter(({ kind }) => kind !== "task").toSorted((a, b) => a.endMs - b.endMs)
  const path: Array<ReportSpan> = []
  for (let span = byEnd.at(-1); span !== undefined; span = before(byEnd, span)) path.unshift(span)
  const [first] = path
  const last = path.at(-1)
  const whole = first === undefined || last === undefined ? 0 : last.endMs - first.startMs
  const taken = path.reduce((sum, { endMs, startMs }) => sum + endMs - startMs, 0)
  return { spans: path, betweenMs: Math.max(0, whole - taken) }
}
