/**
 * How a run or one message of a conversation ended: values of the library and of events, and the exit code of the binary.
 */
import * as Schema from "effect/Schema"
import { RunFacts } from "../checks/Facts.ts"
import { Issue } from "../findings/Issue.ts"
import type { Usage } from "../models/ModelAnswer.ts"
import { answerMsOf, cachedTokensOf } from "../models/TokenCounts.ts"
import { EvidenceCount, TaskFailure, TaskResult } from "../plan/TaskResult.ts"

/**
 * `done` · `failed` (a task failed the same way twice, or the goals could not be reached) · `no_valid_plan` ·
 * `declined` (a person denied a step) · `not_permitted` (a permission was denied, or nobody could give it) ·
 * `unavailable` (model or server) · `limit` (stopped at the maximum of rounds) · `interrupted` · `unverified` (a check of the
 * project fails with the changes, or one that the person named proves nothing) · `unfounded` (what is said about the project rests on
 * nothing that was looked at).
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
  /** How often a model was asked. */
  modelCalls: Schema.Int,
  /** How many calls of tools were made. */
  toolCalls: Schema.Int,
  promptTokens: Schema.Int,
  /** How many of them the server took from its cache; absent unless it said so of each call. */
  cachedTokens: Schema.optionalKey(Schema.Int),
  answerTokens: Schema.Int,
  /** How long the server wrote answers; absent unless it said so of each call. */
  answerMs: Schema.optionalKey(Schema.Finite),
  /** How long it loaded models; absent when it did not say so. */
  loadMs: Schema.optionalKey(Schema.Finite),
  /** Milliseconds in which models worked; calls side by side count each. */
  modelMs: Schema.Finite,
  /** Milliseconds from the beginning to the end. */
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

/** How a run ended, with what it found and what it cost. */
export const RunReport = Schema.Struct({
  /** The id of the run, also for the command line. */
  runId: Schema.String,
  /** How the run ended. */
  status: RunStatus,
  /** The answer to the prompt in markdown; empty when the run ended before it. */
  answer: Schema.String,
  /** Why the run ended as it did; empty when it is done. */
  message: Schema.String,
  /** True when no task is left: resuming the run would do nothing. */
  nothingLeft: Schema.optionalKey(Schema.Boolean),
  /** The issues of the last rejected attempt, when it ended the run. */
  issues: Schema.Array(Issue),
  /** The goals of the plan, in markdown; empty without a plan. */
  goals: Schema.String,
  /** The results of the tasks that finished, in order. */
  results: Schema.Array(TaskResult),
  /** The tasks that failed, each with the reason. */
  failures: Schema.Array(TaskFailure),
  /** How many rounds of tasks the run took. */
  rounds: Schema.Int,
  /** What the host knows: changed files with their lines, checks with their exit codes; absent when nothing changed. */
  facts: Schema.optionalKey(RunFacts),
  /** The links in all results and in the answer; absent when none was checked. */
  evidence: Schema.optionalKey(EvidenceCount),
  /** What the run cost: calls, tokens, milliseconds. */
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

/** The exit code of the binary for a status. A report never has 2 (usage or configuration). */
export const exitCodeOf = (status: RunStatus): number => exitCodes[status]

/** How one message of a conversation was answered. */
export const AskReport = Schema.Struct({
  /** The number of the message in its conversation, from 1. */
  message: Schema.Int,
  /** How the message was answered. */
  status: RunStatus,
  /** Markdown. When a limit ended the work, its last paragraph says so. */
  answer: Schema.String,
  /** Why it ended; empty when it is done. */
  reason: Schema.String,
  /** How often the model was asked. */
  iterations: Schema.Int,
  /** How many calls of tools were made. */
  toolCalls: Schema.Int,
  /** What the host knows of the changes; absent when nothing changed. */
  facts: Schema.optionalKey(RunFacts),
  /** Milliseconds from the message to the answer. */
  durationMs: Schema.Finite
})
export type AskReport = typeof AskReport.Type

/** How a message ended, before it becomes a report. */
export interface AskEnding {
  readonly status: RunStatus
  readonly answer: string
  readonly reason: string
  readonly facts?: RunFacts
}

/** An answer with a last paragraph that says why it may be incomplete. */
export const withReason = (answer: string, reason: string): string =>
  [answer.trimEnd(), `*${reason}*`].filter((part) => part !== "").join("\n\n")
