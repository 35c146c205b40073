/**
 * The report of a saved run, as data and as a page. Part of the composition root.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { type ReportData, reportData } from "../domain/report/ReportData.ts"
import { reportPage } from "../domain/report/ReportPage.ts"
import { environmentVariable } from "../services/configuration/UserFolders.ts"
import { readRun } from "./savedRuns.ts"

/** What a report is. */
export interface Report {
  readonly runId: string
  /** What the page says. */
  readonly data: ReportData
  /** One HTML page that needs nothing else. */
  readonly html: string
  /** What of the journal could not be read, as a sentence. */
  readonly leftOut: string | undefined
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64")

/** Reads a saved run and reports about it. */
export const makeReport = Effect.fn("makeReport")(function* (run: string) {
  const { head, leftOut, runId, timed } = yield* readRun(run)
  const data = reportData(timed, head)
  const home = (yield* environmentVariable("HOME")) ?? ""
  const report: Report = { runId, data, html: reportPage(data, sha256, home), leftOut }
  return report
})
