/**
 * How a run ended: one value for the library, the last line of `--json`, and the exit code of the binary.
 */
import * as Schema from "effect/Schema"
import { Issue } from "../findings/Issue.ts"
import { TaskFailure, TaskResult } from "../plan/TaskResult.ts"

/**
 * `done` · `failed` (a task failed the same way twice, or the end could not be reached) · `no_valid_plan` ·
 * `declined` (a person said no) · `not_permitted` (something needed a permission that was denied or that nobody could
 * give) · `unavailable` (model or server) · `limit` (stopped at the maximum of rounds) · `interrupted`.
 */
export const RunStatus = Schema.Literals([
  "done",
  "failed",
  "no_valid_plan",
  "declined",
  "not_permitted",
  "unavailable",
  "limit",
  "interrupted"
])
export type RunStatus = typeof RunStatus.Type

/** Sums over all model calls of a run; durations in ms. */
export const RunUsage = Schema.Struct({
  modelCalls: Schema.Int,
  toolCalls: Schema.Int,
  promptTokens: Schema.Int,
  answerTokens: Schema.Int,
  modelMs: Schema.Finite,
  durationMs: Schema.Finite
})
export type RunUsage = typeof RunUsage.Type

export const RunReport = Schema.Struct({
  runId: Schema.String,
  status: RunStatus,
  /** The answer to the prompt in markdown; empty when the run did not get that far. */
  answer: Schema.String,
  /** Why the run ended as it did; empty when it is done. */
  message: Schema.String,
  /** What the last rejected attempt got wrong, when that ended the run. */
  issues: Schema.Array(Issue),
  goals: Schema.String,
  results: Schema.Array(TaskResult),
  failures: Schema.Array(TaskFailure),
  rounds: Schema.Int,
  usage: RunUsage
})
export type RunReport = typeof RunReport.Type

const exitCodes: Record<RunStatus, number> = {
  done: 0,
  failed: 1,
  no_valid_plan: 3,
  declined: 4,
  not_permitted: 4,
  unavailable: 5,
  limit: 6,
  interrupted: 130
}

/** The exit code of the binary for a status; 2 (usage or configuration) never reaches a report. */
export const exitCodeOf = (status: RunStatus): number => exitCodes[status]
