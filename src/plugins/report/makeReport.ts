/**
 * The report about a saved run, as data and as a page.
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { readRun } from "../../kit/runs.ts"
import { environmentVariable } from "../../plugin-kit.ts"
import { reportData } from "./ReportData.ts"
import { reportImages } from "./ReportImages.ts"
import { reportPage } from "./ReportPage.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64")

/** Builds the report of a saved run: its data, and one self-contained HTML page. */
export const makeReport = Effect.fn("makeReport")(function* (run: string) {
  const { head, leftOut, runId, timed } = yield* readRun(run)
  const data = reportData(timed, head)
  const home = (yield* environmentVariable("HOME")) ?? ""
  const images = yield* reportImages(runId, data)
  return { runId, data, html: reportPage(data, sha256, home, images), leftOut }
})
