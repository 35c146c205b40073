/**
 * The door for scripts: run a prompt and receive events and a report, go on with a run that is kept, make a plan, check a
 * document, ask with tools. For those who write Effect, the services and shapes behind it are exported as well.
 */
import * as Effect from "effect/Effect"
import { layerRun } from "./app/runLayers.ts"
import { checkDocument, type CheckReport, type DocumentKind } from "./domain/checking/CheckReport.ts"
import type { TaskList } from "./domain/plan/TaskList.ts"
import { beginRun } from "./app/runs.ts"
import { type RunHandle, startWork } from "./library/runHandle.ts"
import { orderOf, type RunOptions } from "./library/runOptions.ts"
import { onThisMachine, scriptWork, setupOf } from "./library/scriptOptions.ts"
import { Pipeline } from "./services/pipeline/Pipeline.ts"
import { makeRunId } from "./services/runs/RunId.ts"

export { flattenEvent, type FlatEvent } from "./domain/runs/RunEvent.ts"
export { type CheckReport, DocumentKind } from "./domain/checking/CheckReport.ts"
export { Limits } from "./domain/configuration/Limits.ts"
export { ModelError } from "./domain/models/ModelAnswer.ts"
export { RecordedEvent, RunEvent } from "./domain/runs/RunEvent.ts"
export { NoValidPlan, type RunOrder, UnknownSkill } from "./domain/runs/RunOrder.ts"
export { exitCodeOf, RunReport, RunStatus, AskReport } from "./domain/runs/RunReport.ts"
export type { RunDifference } from "./domain/history/RunDifference.ts"
export { RunOverview, TaskEvidence, TaskNotFound } from "./domain/history/RunEvidence.ts"
export { TaskList } from "./domain/plan/TaskList.ts"
export { type DoubtAnswer, Arbiter } from "./services/approvals/Arbiter.ts"
export type { Arbitrate } from "./services/approvals/CallbackArbiter.ts"
export { JournalError } from "./services/journal/JournalError.ts"
export { LockTaken, LockUnavailable } from "./services/journal/Lock.ts"
export { RunNotFound, RunStore, RunSummary } from "./services/history/RunStore.ts"
export { StateFolder } from "./services/configuration/UserFolders.ts"
export { beginRun, forkRun, type StartPorts, layerRuns, type ReadyRun, replayRun, resumeRun } from "./app/runs.ts"
export {
  fork,
  type ForkOptions,
  resume,
  type ResumeOptions,
  type SavedRunOptions,
  replay,
  type Replayed,
  type ReplayOptions,
  runs,
  showRun,
  showTask
} from "./library/runs.ts"
export { Approver } from "./services/approvals/Approver.ts"
export type { ApprovalAnswer, ApprovalRequest, Approve } from "./services/approvals/CallbackApprover.ts"
export { ConfigurationError } from "./services/configuration/ConfigurationFile.ts"
export { Pipeline } from "./services/pipeline/Pipeline.ts"
export { Asker, type AskSession } from "./services/conversation/Asker.ts"
export { NoToolSupport } from "./services/models/ToolSupport.ts"
export { ask, type AskHandle, type AskOptions, type Conversation, openConversation } from "./library/ask.ts"
export { layerAsk, layerRun } from "./app/runLayers.ts"
export { type AskPorts, holdConversation } from "./app/conversation.ts"
export type { RunPorts } from "./app/projectLayers.ts"
export type { RunHandle } from "./library/runHandle.ts"
export type { RunOptions } from "./library/runOptions.ts"
export type { ScriptOptions } from "./library/scriptOptions.ts"
export { readSetup, type Setup } from "./app/setup.ts"

/** Runs a prompt. The run starts at once, and is kept unless the options say otherwise. */
export const run = (given: string | RunOptions): RunHandle => {
  const options: RunOptions = typeof given === "string" ? { prompt: given } : given
  const { keep = true, signal } = options
  return startWork({ signal }, (listen, runId) =>
    Effect.gen(function* () {
      const order = yield* orderOf(options, runId)
      const work = scriptWork(options, listen)
      return yield* beginRun(yield* setupOf(options, work), order, { ...work.doors, before: work.before, keep })
    }).pipe(onThisMachine(options))
  )
}

/** Makes a task list and checks it, without running it. Rejects when no attempt gives a valid one. */
export const plan = (
  given: string | RunOptions
): Promise<{ readonly taskList: TaskList; readonly markdown: string }> => {
  const options: RunOptions = typeof given === "string" ? { prompt: given } : given
  const planned = Effect.gen(function* () {
    const { plan: _plan, skill: _skill, ...order } = yield* orderOf(options, yield* makeRunId)
    const work = scriptWork(options, () => undefined)
    const setup = yield* setupOf(options, work)
    return yield* work
      .before({ setup })
      .pipe(
        Effect.andThen(Pipeline.use((pipeline) => pipeline.plan(order))),
        Effect.provide(layerRun(setup, work.doors))
      )
  }).pipe(onThisMachine(options))
  return Effect.runPromise(planned, options.signal === undefined ? {} : { signal: options.signal })
}

/** Checks a document without a model. `finished` names the tasks that have finished before the list. */
export const check = (
  text: string,
  kind: DocumentKind = "task-list",
  finished: ReadonlyArray<string> = []
): CheckReport => checkDocument(kind, text, { finished })
