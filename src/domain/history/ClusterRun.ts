/**
 * A run that several machines share: what it was begun with, what its client allowed beforehand, and how it ended. Kept
 * in the database.
 */
import * as Schema from "effect/Schema"
import { RunOpened } from "./JournalRecord.ts"
import { RunReport } from "../runs/RunReport.ts"

export const ClusterRun = Schema.Struct({
  opened: RunOpened,
  /** The `--allow` rules of the client. */
  allow: Schema.Array(Schema.String),
  /** All steps were approved beforehand. */
  approveSteps: Schema.Boolean
})
export type ClusterRun = typeof ClusterRun.Type

/** The report; or why there is none, because the run could not be carried out at all, with the exit code for that. */
export const ClusterRunEnding = Schema.Union([
  RunReport,
  Schema.Struct({ refused: Schema.String, exitCode: Schema.Int })
])
export type ClusterRunEnding = typeof ClusterRunEnding.Type
