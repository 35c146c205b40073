/** How a run or one message of a conversation ended, in the library, in events, and as an exit code. */
import * as Schema from "effect/Schema"
import { RunFacts } from "../checks/Facts.ts"
import { Issue } from "../findings/Issue.ts"
import type { Usage } from "../models/ModelAnswer.ts"
import { answerMsOf, cachedTokensOf } from "../models/TokenCounts.ts"
import { EvidenceCount, TaskFailure, TaskResult } from "../plan/TaskResult.ts"

/**
 * The status of a run:
 * - `done`
 * - `failed`: a task failed the same way twice, or the goals could not be reached.
 * - `no_valid_plan`
 * - `declined`: the user declined a step.
 * - `not_permitted`: a permission was denied, or nobody could give it.
 * - `unavailable`: the model or its server could not be used.
 * - `limit`: the maximum number of rounds was reached.
 * - `interrupted`
 * - `unverified`: a check of the project fails with the changes, or a check that the user named proves nothing.
 * - `unfounded`: the answer describes the project without evidence.
 */
export const RunStatus = Schema.Literals([
  "done",
  "failed",
  "no_valid_plan",
  "declined",
  "not_permitted",
  "unavailable",
  "limit",
  "interrupted",
  "unverified",
  "unfounded"
])
export type RunStatus = typeof RunStatus.Type

/** Sums over all model calls of a run; durations in ms. */
export const RunUsage = Schema.Struct({
  /** The number of calls to a model. */
  modelCalls: Schema.Int,
  /** The number of tool calls, including failed calls. */
  toolCalls: Schema.Int,
  promptTokens: Schema.Int,
  /** How many prompt tokens the server took from its cache. Absent unless the server reported this for every call. */
  cachedTokens: Schema.optionalKey(Schema.Int),
  answerTokens: Schema.Int,
  /** Milliseconds in which the server wrote answers. Absent unless the server reported this for every call. */
  answerMs: Schema.optionalKey(Schema.Finite),
  /** Milliseconds in which the server loaded models. Absent if the server did not report this. */
  loadMs: Schema.optionalKey(Schema.Finite),
  /** Milliseconds in which models worked. Parallel calls are added up. */
  modelMs: Schema.Finite,
  /** Milliseconds from the beginning to the end of the run. */
  durationMs: Schema.Finite
})
export type RunUsage = typeof RunUsage.Type

export const noUsage: RunUsage = {
  modelCalls: 0,
  toolCalls: 0,
  promptTokens: 0,
  answerTokens: 0,
  modelMs: 0,
  durationMs: 0
}

export const addUsage = (first: RunUsage, second: RunUsage): RunUsage => ({
  modelCalls: first.modelCalls + second.modelCalls,
  toolCalls: first.toolCalls + second.toolCalls,
  promptTokens: first.promptTokens + second.promptTokens,
  ...cachedTokensOf([first, second]),
  answerTokens: first.answerTokens + second.answerTokens,
  ...answerMsOf([first, second]),
  ...(first.loadMs === undefined && second.loadMs === undefined
    ? {}
    : { loadMs: (first.loadMs ?? 0) + (second.loadMs ?? 0) }),
  modelMs: first.modelMs + second.modelMs,
  durationMs: first.durationMs + second.durationMs
})

export const addModelCall = (sum: RunUsage, usage: Usage): RunUsage => {
  const { answerTokens = 0, durationMs: modelMs, loadMs, promptTokens = 0 } = usage
  return addUsage(sum, {
    ...noUsage,
    ...cachedTokensOf([usage]),
    ...answerMsOf([usage]),
    ...(loadMs === undefined ? {} : { loadMs }),
    modelCalls: 1,
    promptTokens,
    answerTokens,
    modelMs
  })
}

/** How a run ended, its results and its cost. */
export const RunReport = Schema.Struct({
  /** The id of the run, also used on the command line. */
  runId: Schema.String,
  /** The status with which the run ended, such as `done`. */
  status: RunStatus,
  /** The answer to the prompt in markdown. Empty if the run ended before it could answer. */
  answer: Schema.String,
  /** Why the run ended this way; empty for `done`. */
  message: Schema.String,
  /** True if no task is left. Resuming the run would then do nothing. */
  nothingLeft: Schema.optionalKey(Schema.Boolean),
  /** The issues of the last rejected attempt, if its rejection ended the run. */
  issues: Schema.Array(Issue),
  /** The goals of the plan in markdown. Empty if the run has no plan. */
  goals: Schema.String,
  /** The results of finished tasks, in order. */
  results: Schema.Array(TaskResult),
  /** The failed tasks, each with the reason. */
  failures: Schema.Array(TaskFailure),
  /** The number of rounds. */
  rounds: Schema.Int,
  /** Facts from the program: changed files with line counts, checks with exit codes. Absent without changes. */
  facts: Schema.optionalKey(RunFacts),
  /** How many links of the results and the answer were checked, and how many are wrong. Absent if none was checked. */
  evidence: Schema.optionalKey(EvidenceCount),
  /** The cost of the run: calls, tokens, milliseconds. */
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
  interrupted: 130,
  unverified: 1,
  unfounded: 6
}

/** The exit code for a status. It is never 2, which means wrong usage or a wrong configuration. */
export const exitCodeOf = (status: RunStatus): number => exitCodes[status]

/** How one message of a conversation was answered. */
export const AskReport = Schema.Struct({
  /** The number of the message in its conversation, from 1. */
  message: Schema.Int,
  /** The status with which the work on the message ended, such as `done`. */
  status: RunStatus,
  /** The answer in markdown. If a limit ended the work, the last paragraph says so. */
  answer: Schema.String,
  /** Why the work ended; empty for `done`. */
  reason: Schema.String,
  /** The number of model calls. */
  iterations: Schema.Int,
  /** The number of tool calls, including failed calls. */
  toolCalls: Schema.Int,
  /** Facts from the program about the changes. Absent without changes. */
  facts: Schema.optionalKey(RunFacts),
  /** Milliseconds from the message to the answer. */
  durationMs: Schema.Finite
})
export type AskReport = typeof AskReport.Type

/** How the work on a message ended, for the report on it. */
export interface AskEnding {
  readonly status: RunStatus
  readonly answer: string
  readonly reason: string
  readonly facts?: RunFacts
}

/** The answer with a last paragraph that says why it may be incomplete. */
export const withReason = (answer: string, reason: string): string =>
  [answer.trimEnd(), `*${reason}*`].filter((part) => part !== "").join("\n\n")
