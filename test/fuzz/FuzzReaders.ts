/**
 * Reads texts that were made to break a reader and says what must never happen: with a few thousand texts in a test, with many
 * and with the time that they take in bench/fuzz-readers.ts.
 */
import * as Option from "effect/Option"
import type { DocumentKind } from "../../src/domain/documents/CheckReport.ts"
import type { Reading } from "../../src/domain/findings/Issue.ts"
import { readTaskReport } from "../../src/domain/documents/RefinementFormat.ts"
import { readResult } from "../../src/domain/documents/ResultFormat.ts"
import { readTaskList } from "../../src/domain/documents/TaskListFormat.ts"
import { renderTaskReport, renderTaskList } from "../../src/domain/documents/TaskRendering.ts"
import { randomFrom } from "../mutations/Damage.ts"
import { fuzzInput } from "./FuzzInput.ts"
import { processorTime } from "./processorTime.ts"

/** The longest text, in characters, and how long reading it may take, in ms. */
export const largestInput = 65_536
export const timeLimit = 250

interface Reader {
  readonly read: (text: string) => Reading<unknown>
  /** The strict document of what was read; nothing when there is no value. */
  readonly rewrite: (text: string) => string | undefined
}

/** Names that texts may refer to as finished. */
const options = { finished: ["A 1"], headings: ["b"] }

/** The reader of each kind of document, as the product calls it. */
export const readers: Readonly<Record<DocumentKind, Reader>> = {
  "task-list": {
    read: (text) => readTaskList(text, options),
    rewrite: (text) =>
      Option.getOrUndefined(Option.map(readTaskList(text, options).value, (list) => renderTaskList(list)))
  },
  refinement: {
    read: (text) => readTaskReport(text),
    rewrite: (text) =>
      Option.getOrUndefined(
        Option.map(readTaskReport(text).value, ({ calls, inputs = [], looks = [], task }) =>
          renderTaskReport({ task, inputs, looks, calls })
        )
      )
  },
  result: {
    read: readResult,
    rewrite: (text) => Option.getOrUndefined(Option.map(readResult(text).value, ({ document }) => document))
  }
}

const isSorted = (
  found: ReadonlyArray<{ readonly code: string; readonly where: { readonly line?: number } }>
): boolean =>
  found.every((one, index) => {
    const before = found[index - 1]
    if (before === undefined) return true
    const lines = (before.where.line ?? 0) - (one.where.line ?? 0)
    return lines < 0 || (lines === 0 && before.code <= one.code)
  })

const hasPlace = (found: ReadonlyArray<{ readonly where: { readonly line?: number } }>, lines: number): boolean =>
  found.every(({ where: { line } }) => line === undefined || (line >= 1 && line <= lines))

/** What is wrong with how a text was read; nothing when all is well. */
const defectOf = (kind: DocumentKind, text: string): string | undefined => {
  const { read, rewrite } = readers[kind]
  try {
    const reading = read(text)
    const lines = text.split(/\r\n|\n|\r/).length
    if (Option.isNone(reading.value) && reading.issues.length === 0) return "neither a value nor an issue"
    if (!isSorted(reading.issues) || !isSorted(reading.repairs)) return "findings out of order"
    if (!hasPlace(reading.issues, lines) || !hasPlace(reading.repairs, lines))
      return "a finding on a line that is not there"
    if (JSON.stringify(read(text)) !== JSON.stringify(reading)) return "another reading of the same text"
    if (reading.issues.length > 0) return undefined
    const again = read(rewrite(text) ?? "")
    if (kind !== "result" && (again.issues.length > 0 || again.repairs.length > 0))
      return "what was read is not written strictly"
    if (JSON.stringify(again.value) !== JSON.stringify(reading.value))
      return "what was read is written as something else"
    return undefined
  } catch (error) {
    return error instanceof Error ? `throws ${error.message}` : "throws"
  }
}

/** The least of a few tries, in ms: what the machine does beside is none of the reader's cost. */
const timeOf = (kind: DocumentKind, text: string, cap: number): number => {
  let best = Infinity
  for (let trial = 0; trial < 3 && best > cap; trial += 1) {
    const start = processorTime()
    readers[kind].read(text)
    best = Math.min(best, processorTime() - start)
  }
  return best
}

/** One text with what is wrong about it. */
export interface Defect {
  readonly seed: number
  readonly made: string
  readonly what: string
  readonly text: string
}

/** What a run of the fuzzer found. Times in ms, sizes in characters. */
export interface FuzzReport {
  readonly count: number
  readonly accepted: number
  readonly defects: ReadonlyArray<Defect>
  readonly slowest: { readonly ms: number; readonly size: number; readonly seed: number; readonly made: string }
}

/** Reads `count` texts, the first made from `seed`, the next from the seed after it; a time limit in ms makes it take the time. */
export const fuzz = (kind: DocumentKind, count: number, seed: number, limit?: number): FuzzReport => {
  const defects: Array<Defect> = []
  let slowest: FuzzReport["slowest"] = { ms: 0, size: 0, seed, made: "" }
  let accepted = 0
  for (let at = seed; at < seed + count; at += 1) {
    const { made, text } = fuzzInput(kind, randomFrom(at), largestInput)
    const what = defectOf(kind, text)
    if (what !== undefined) {
      defects.push({ seed: at, made, what, text })
      continue
    }
    if (readers[kind].read(text).issues.length === 0) accepted += 1
    if (limit === undefined) continue
    const ms = timeOf(kind, text, Math.max(slowest.ms, 5))
    if (ms > slowest.ms) slowest = { ms, size: text.length, seed: at, made }
    if (ms > limit) defects.push({ seed: at, made, what: `takes ${Math.round(ms)} ms`, text })
  }
  return { count, accepted, defects, slowest }
}
