/**
 * The door for scripts: run a prompt and receive events and a report, make a plan, check a document, ask with tools. For
 * those who write Effect, the services and shapes behind it are exported as well.
 */
import * as Effect from "effect/Effect"
import { layerRun } from "./app.ts"
import { checkDocument, type CheckReport, type DocumentKind } from "./domain/CheckReport.ts"
import type { RecordedEvent } from "./domain/RunEvent.ts"
import type { TaskList } from "./domain/TaskList.ts"
import { Pipeline } from "./services/Pipeline.ts"
import { type RunHandle, startWork } from "./runHandle.ts"
import { refuse, type ScriptOptions, withLayers } from "./scriptOptions.ts"

export { flattenEvent, type FlatEvent } from "./domain/EventLine.ts"
export { type CheckReport, DocumentKind } from "./domain/CheckReport.ts"
export { Limits } from "./domain/Limits.ts"
export { ModelError } from "./domain/ModelAnswer.ts"
export { RecordedEvent, RunEvent } from "./domain/RunEvent.ts"
export { NoValidPlan, type RunOrder, UnknownSkill } from "./domain/RunOrder.ts"
export { exitCodeOf, RunReport, RunStatus } from "./domain/RunReport.ts"
export { TaskList } from "./domain/TaskList.ts"
export { Approver } from "./services/Approver.ts"
export type { ApprovalAnswer, ApprovalRequest, Approve } from "./services/CallbackApprover.ts"
export { ConfigurationError } from "./services/ConfigurationFile.ts"
export { Pipeline } from "./services/Pipeline.ts"
export { Asker, type AskSession } from "./services/Asker.ts"
export { AskReport } from "./domain/AskReport.ts"
export { NoToolSupport } from "./services/ToolSupport.ts"
export { ask, type AskHandle, type AskOptions, type Conversation, openConversation } from "./ask.ts"
export { layerAsk, layerRun, type RunDoors } from "./app.ts"
export type { RunHandle } from "./runHandle.ts"
export type { ScriptOptions } from "./scriptOptions.ts"
export { readSetup, type Setup } from "./setup.ts"

/** How a script orders a run. */
export interface RunOptions extends ScriptOptions {
  readonly prompt: string
  /** Skips planning: one task with this skill. */
  readonly skill?: string
  /** Skips planning: the markdown of a task list. */
  readonly plan?: string
}

/** Runs one stage of the pipeline with the layers that the options ask for. */
const withPipeline = <A, E>(
  options: RunOptions,
  listen: (recorded: RecordedEvent) => void,
  use: (pipeline: Pipeline["Service"], runId: string) => Effect.Effect<A, E>
) =>
  options.skill !== undefined && options.plan !== undefined
    ? Effect.fail(refuse('"skill" and "plan" exclude each other: both say what the tasks are. Leave one out.'))
    : withLayers(options, listen, layerRun, (runId) => Pipeline.use((pipeline) => use(pipeline, runId)))

/** Runs a prompt. The run starts at once. */
export const run = (given: string | RunOptions): RunHandle => {
  const options: RunOptions = typeof given === "string" ? { prompt: given } : given
  const { file, plan, prompt, signal, skill } = options
  return startWork(signal, (listen) =>
    withPipeline(options, listen, (pipeline, runId) =>
      pipeline.run({
        runId,
        prompt,
        ...(file === undefined ? {} : { currentFile: file }),
        ...(skill === undefined ? {} : { skill }),
        ...(plan === undefined ? {} : { plan })
      })
    )
  )
}

/** Makes a task list and checks it, without running it. Rejects when no attempt gives a valid one. */
export const plan = (
  given: string | RunOptions
): Promise<{ readonly taskList: TaskList; readonly markdown: string }> => {
  const options: RunOptions = typeof given === "string" ? { prompt: given } : given
  return Effect.runPromise(
    withPipeline(
      options,
      () => undefined,
      (pipeline, runId) =>
        pipeline.plan({
          runId,
          prompt: options.prompt,
          ...(options.file === undefined ? {} : { currentFile: options.file })
        })
    ),
    options.signal === undefined ? {} : { signal: options.signal }
  )
}

/** Checks a document without a model. `finished` names the tasks that have finished before the list. */
export const check = (
  text: string,
  kind: DocumentKind = "task-list",
  finished: ReadonlyArray<string> = []
): CheckReport => checkDocument(kind, text, { finished })
