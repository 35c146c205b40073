/**
 * How a saved run stands, and what a list says about it.
 */
import * as Schema from "effect/Schema"
import { RunStatus } from "../runs/RunReport.ts"

/** `running` holds its lock; `unfinished` ended without a report; `unreadable` does not begin as a journal does. */
export const RunStanding = Schema.Literals([...RunStatus.literals, "running", "unfinished", "unreadable"])
export type RunStanding = typeof RunStanding.Type

/** How many tasks have a result, of those that have one or are planned now. */
export const TaskCount = Schema.Struct({ done: Schema.Int, total: Schema.Int })
export type TaskCount = typeof TaskCount.Type

/** A run in the list of runs. */
export const RunSummary = Schema.Struct({
  runId: Schema.String,
  standing: RunStanding,
  /** ISO 8601. */
  startedAt: Schema.optionalKey(Schema.String),
  /** The time of the last record, ISO 8601; absent while it runs. */
  endedAt: Schema.optionalKey(Schema.String),
  /** How long its sessions worked. */
  durationMs: Schema.optionalKey(Schema.Finite),
  /** The exit code of its last session, when that had an end. */
  exitCode: Schema.optionalKey(Schema.Int),
  /** Absent before there is a plan. */
  tasks: Schema.optionalKey(TaskCount),
  /** Where the project is, or was when the run last worked on it. */
  project: Schema.optionalKey(Schema.String),
  prompt: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  /** Size of the journal. */
  bytes: Schema.Int,
  /** The process that works on it. */
  pid: Schema.optionalKey(Schema.Int)
})
export type RunSummary = typeof RunSummary.Type
