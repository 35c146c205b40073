/**
 * The door for scripts: run a prompt and receive events and a report, go on with a run that is kept, make a plan, check a
 * document, ask with tools. For those who write Effect, the services and shapes behind it are exported as well.
 */
import * as Effect from "effect/Effect"
import { layerRun } from "./app.ts"
import { checkDocument, type CheckReport, type DocumentKind } from "./domain/CheckReport.ts"
import type { TaskList } from "./domain/TaskList.ts"
import { beginRun } from "./kept.ts"
import { type RunHandle, startWork } from "./runHandle.ts"
import { orderOf, type RunOptions } from "./runOptions.ts"
import { onThisMachine, scriptWork, setupOf } from "./scriptOptions.ts"
import { Pipeline } from "./services/Pipeline.ts"
import { makeRunId } from "./services/RunId.ts"

export { flattenEvent, type FlatEvent } from "./domain/EventLine.ts"
export { type CheckReport, DocumentKind } from "./domain/CheckReport.ts"
export { Limits } from "./domain/Limits.ts"
export { ModelError } from "./domain/ModelAnswer.ts"
export { RecordedEvent, RunEvent } from "./domain/RunEvent.ts"
export { NoValidPlan, type RunOrder, UnknownSkill } from "./domain/RunOrder.ts"
export { exitCodeOf, RunReport, RunStatus } from "./domain/RunReport.ts"
export type { RunDifference } from "./domain/RunDifference.ts"
export { RunOverview, TaskEvidence } from "./domain/RunEvidence.ts"
export { TaskList } from "./domain/TaskList.ts"
export { TaskNotFound } from "./domain/TaskNotFound.ts"
export type { DoubtAnswer } from "./services/Arbiter.ts"
export { Arbiter } from "./services/Arbiter.ts"
export type { Arbitrate } from "./services/CallbackArbiter.ts"
export { JournalError } from "./services/JournalError.ts"
export { LockTaken, LockUnavailable } from "./services/Lock.ts"
export { RunNotFound, RunStore, RunSummary } from "./services/RunStore.ts"
export { StateFolder } from "./services/UserFolders.ts"
export { beginRun, forkRun, type KeptDoors, layerRuns, type ReadyRun, replayRun, resumeRun } from "./kept.ts"
export { fork, type ForkOptions, resume, type ResumeOptions } from "./runs.ts"
export { type KeptOptions, replay, type Replayed, type ReplayOptions, runs, showRun, showTask } from "./runs.ts"
export { Approver } from "./services/Approver.ts"
export type { ApprovalAnswer, ApprovalRequest, Approve } from "./services/CallbackApprover.ts"
export { ConfigurationError } from "./services/ConfigurationFile.ts"
export { Pipeline } from "./services/Pipeline.ts"
export { Asker, type AskSession } from "./services/Asker.ts"
export { AskReport } from "./domain/AskReport.ts"
export { NoToolSupport } from "./services/ToolSupport.ts"
export { ask, type AskHandle, type AskOptions, type Conversation, openConversation } from "./ask.ts"
export { layerAsk, layerRun } from "./app.ts"
export { type AskDoors, holdConversation } from "./converse.ts"
export type { RunDoors } from "./ground.ts"
export type { RunHandle } from "./runHandle.ts"
export type { RunOptions } from "./runOptions.ts"
export type { ScriptOptions } from "./scriptOptions.ts"
export { readSetup, type Setup } from "./setup.ts"

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
