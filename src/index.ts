/**
 * The door for scripts: run a prompt and receive events and a report, make a plan, check a document. For those who write
 * Effect, the services and shapes behind it are exported as well.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import { layerRun } from "./app.ts"
import { readSetup } from "./setup.ts"
import { checkDocument, type CheckReport, type DocumentKind } from "./domain/CheckReport.ts"
import type { Configuration } from "./domain/Configuration.ts"
import { type FlatEvent, flattenEvent } from "./domain/EventLine.ts"
import type { GivenLimits } from "./domain/Limits.ts"
import type { RecordedEvent } from "./domain/RunEvent.ts"
import type { RunReport } from "./domain/RunReport.ts"
import type { TaskList } from "./domain/TaskList.ts"
import { Approver } from "./services/Approver.ts"
import { type Approve, layerCallback } from "./services/CallbackApprover.ts"
import { ConfigurationError } from "./services/ConfigurationFile.ts"
import { makeEventHistory } from "./services/EventHistory.ts"
import { Pipeline } from "./services/Pipeline.ts"
import type { Plugin } from "./services/Plugin.ts"
import { makeRunId } from "./services/RunId.ts"
import { readRunNotes } from "./services/RunNotes.ts"

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
export { ConfigurationError }
export { Pipeline } from "./services/Pipeline.ts"
export { layerRun, type RunDoors } from "./app.ts"
export { readSetup, type Setup } from "./setup.ts"

/** How a script orders work. What is left out comes from the configuration files and the environment, as for the CLI. */
export interface RunOptions {
  readonly prompt: string
  /** The project folder; the current folder when absent. */
  readonly project?: string
  /** A name as for `--model`, or any language model of effect/ai. */
  readonly model?: string | Layer.Layer<LanguageModel.LanguageModel>
  readonly host?: string
  readonly contextWindow?: number
  readonly parallel?: number
  readonly limits?: GivenLimits
  readonly referenceBudget?: number
  /** Rules as `TOOL[:PATTERN]`. */
  readonly allow?: ReadonlyArray<string>
  readonly deny?: ReadonlyArray<string>
  /** Answers approvals; without it whatever needs one is denied. */
  readonly approve?: Approve
  /** Path of the file the person is looking at, relative to the project. */
  readonly file?: string
  /** Skips planning: one task with this skill. */
  readonly skill?: string
  /** Skips planning: the markdown of a task list. */
  readonly plan?: string
  /** Plugins as values, or as in a configuration file: packages by name and paths, looked for from the current folder. */
  readonly plugins?: ReadonlyArray<Plugin | string>
  /** Interrupts the run when it aborts. */
  readonly signal?: AbortSignal
}

/** A run that goes on. */
export interface RunHandle {
  /**
   * How the run ended, also when it failed, was declined or was interrupted. Rejects when the order cannot be carried
   * out at all: unknown skill, wrong configuration, no such project.
   */
  readonly report: Promise<RunReport>
  /** All events from the first on, whenever reading begins; each reader gets all of them. */
  readonly events: AsyncIterable<FlatEvent>
  /** Stops the run and waits until it has stopped. */
  readonly interrupt: () => Promise<void>
}

const configurationOf = ({ model, ...given }: RunOptions): Configuration => ({
  ...(typeof model === "string" ? { model } : {}),
  ...(given.host === undefined ? {} : { host: given.host }),
  ...(given.contextWindow === undefined ? {} : { contextWindow: given.contextWindow }),
  ...(given.parallel === undefined ? {} : { parallel: given.parallel }),
  ...(given.referenceBudget === undefined ? {} : { referenceBudget: given.referenceBudget }),
  limits: given.limits ?? {},
  allow: given.allow ?? [],
  deny: given.deny ?? [],
  plugins: (given.plugins ?? []).filter((plugin) => typeof plugin === "string")
})

/** Options that contradict each other or name no tool. */
const refuse = (what: string) => new ConfigurationError({ source: "options", problems: [{ what }] })

/** The events of a run, with what should be known before it starts right after the first. */
const withWarnings =
  (listen: (recorded: RecordedEvent) => void, warnings: ReadonlyArray<string>) =>
  (recorded: RecordedEvent): void => {
    listen(recorded)
    if (recorded.event.type !== "run.started") return
    for (const text of warnings) listen({ at: recorded.at, event: { type: "message", level: "warning", text } })
  }

/** Runs one stage of the pipeline with the layers that the options ask for. */
const withPipeline = <A, E>(
  options: RunOptions,
  listen: (recorded: RecordedEvent) => void,
  use: (pipeline: Pipeline["Service"], runId: string) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    if (options.skill !== undefined && options.plan !== undefined) {
      return yield* refuse('"skill" and "plan" exclude each other: both say what the tasks are. Leave one out.')
    }
    const given = configurationOf(options)
    const setup = yield* readSetup(options.project ?? ".", given)
    let hear = listen
    const layer = layerRun(setup, {
      listen: (recorded) => Effect.sync(() => hear(recorded)),
      approveSteps: false,
      approver: options.approve === undefined ? Approver.layerDenyAll : layerCallback(options.approve),
      ...(typeof options.model === "object" ? { model: options.model } : {}),
      plugins: (options.plugins ?? []).filter((plugin) => typeof plugin !== "string")
    })
    const runId = yield* makeRunId
    return yield* Effect.gen(function* () {
      const { mistake, warnings } = yield* readRunNotes(setup.configuration, given)
      if (mistake !== undefined) return yield* refuse(`"${mistake.verdict}": "${mistake.rule}": ${mistake.what}`)
      hear = withWarnings(listen, warnings)
      return yield* use(yield* Pipeline, runId)
    }).pipe(Effect.provide(layer))
  }).pipe(Effect.provide(NodeServices.layer))

/** Runs a prompt. The run starts at once. */
export const run = (given: string | RunOptions): RunHandle => {
  const options: RunOptions = typeof given === "string" ? { prompt: given } : given
  const history = makeEventHistory<FlatEvent>()
  let last: RunReport | undefined
  const listen = (recorded: RecordedEvent): void => {
    if (recorded.event.type === "run.finished") last = recorded.event.report
    history.push(flattenEvent(recorded))
  }
  const { file, plan, prompt, skill } = options
  const fiber = Effect.runFork(
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
  const interrupt = (): Promise<void> => Effect.runPromise(Fiber.interrupt(fiber))
  const report = Effect.runPromise(Fiber.await(fiber)).then((exit) => {
    if (Exit.isSuccess(exit)) return exit.value
    if (last !== undefined) return last
    if (Cause.hasInterruptsOnly(exit.cause)) throw new Error("The run was interrupted before it began.")
    throw Cause.squash(exit.cause)
  })
  report.then(
    () => history.end(),
    (error: unknown) => history.end(error)
  )
  if (options.signal?.aborted === true) void interrupt()
  options.signal?.addEventListener("abort", () => void interrupt(), { once: true })
  return { report, events: history.events, interrupt }
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
