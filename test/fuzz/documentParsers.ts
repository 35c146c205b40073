/**
 * The readers of documents: a text gives a value or issues, which are in order and on lines of the text, and what is accepted is
 * written strictly.
 */
import * as Option from "effect/Option"
import type { DocumentKind } from "../../src/domain/documents/CheckReport.ts"
import { readTaskReport } from "../../src/domain/documents/RefinementFormat.ts"
import { readResult } from "../../src/domain/documents/ResultFormat.ts"
import { readTaskList } from "../../src/domain/documents/TaskListFormat.ts"
import { renderTaskReport, renderTaskList } from "../../src/domain/documents/TaskRendering.ts"
import type { Issue, Reading, Repair } from "../../src/domain/findings/Issue.ts"
import { documentTokens } from "../support/documentTokens.ts"
import { fixturesOf } from "../support/randomDocuments.ts"
import type { FuzzedParser } from "./FuzzParsers.ts"
import { json } from "./jsonTokens.ts"

interface Reader {
  readonly read: (text: string) => Reading<unknown>
  /** The strict document of what was read; nothing when there is no value. */
  readonly rewrite: (text: string) => Option.Option<string>
}

/** Names that texts may refer to as finished. */
const options = { finished: ["A 1"], headings: ["b"] }

/** The reader of each kind of document, as the product calls it. */
export const readers: Readonly<Record<DocumentKind, Reader>> = {
  "task-list": {
    read: (text) => readTaskList(text, options),
    rewrite: (text) => Option.map(readTaskList(text, options).value, (list) => renderTaskList(list))
  },
  refinement: {
    read: (text) => readTaskReport(text),
    rewrite: (text) =>
      Option.map(readTaskReport(text).value, ({ calls, inputs = [], looks = [], task }) =>
        renderTaskReport({ task, inputs, looks, calls })
      )
  },
  result: {
    read: readResult,
    rewrite: (text) => Option.map(readResult(text).value, ({ document }) => document)
  }
}

const isSorted = (found: ReadonlyArray<Issue | Repair>): boolean =>
  found.every((one, index) => {
    const before = found[index - 1]
    if (before === undefined) return true
    const lines = (before.where.line ?? 0) - (one.where.line ?? 0)
    return lines < 0 || (lines === 0 && before.code <= one.code)
  })

const defectOf = (kind: DocumentKind, text: string): string | undefined => {
  const { read, rewrite } = readers[kind]
  const reading = read(text)
  const found: ReadonlyArray<ReadonlyArray<Issue | Repair>> = [reading.issues, reading.repairs]
  const lines = text.split(/\r\n|\n|\r/).length
  if (Option.isNone(reading.value) && reading.issues.length === 0) return "neither a value nor an issue"
  if (!found.every(isSorted)) return "findings out of order"
  if (!found.flat().every(({ where: { line = 1 } }) => line >= 1 && line <= lines))
    return "a finding on a line that is not there"
  if (json(read(text)) !== json(reading)) return "another reading of the same text"
  if (reading.issues.length > 0) return undefined
  const again = read(Option.getOrElse(rewrite(text), () => ""))
  /* By chance the last task ends as a list that broke off, which is refused. */
  if (again.issues.some(({ code }) => code === "plan-unfinished")) return undefined
  if (kind !== "result" && again.issues.length + again.repairs.length > 0)
    return "what was read is not written strictly"
  return json(again.value) === json(reading.value) ? undefined : "what was read is written as something else"
}

export const documentParsers: ReadonlyArray<FuzzedParser> = (["task-list", "refinement", "result"] as const).map(
  (kind) => ({
    name: kind,
    valid: fixturesOf(kind).filter((text) => text.length < 10_000),
    tokens: documentTokens,
    accepts: (text) => readers[kind].read(text).issues.length === 0,
    defect: (text) => defectOf(kind, text)
  })
)
