/**
 * What the commands do once flags are read. Loaded when it is needed: help, wrong usage and `check` start without it.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { layerCatalogue, layerRun, type RunDoors } from "../app.ts"
import { layerJournal, layerReopenedJournal, layerRuns } from "../kept.ts"
import { readSetup, reopenSetup } from "../setup.ts"
import type { Configuration } from "../domain/Configuration.ts"
import type { RunOrder } from "../domain/RunOrder.ts"
import type { Approver } from "../services/Approver.ts"
import { McpPlugins } from "../services/McpPlugins.ts"
import { Pipeline } from "../services/Pipeline.ts"
import { conduct } from "../services/RunWorkflow.ts"
import { makeRunId } from "../services/RunId.ts"
import { PluginPackages } from "../services/PluginPackages.ts"
import { Skills } from "../services/Skills.ts"
import { ToolRegistry } from "../services/ToolRegistry.ts"
import type { EventSink } from "./EventSink.ts"
import { tellNotes } from "./notes.ts"

export { listPlugins, unlistedProblems } from "./pluginList.ts"

/** A run or a plan as the flags ask for it. */
export interface Work {
  readonly project: string
  readonly flags: Configuration
  readonly order: Omit<RunOrder, "runId">
  readonly sink: EventSink
  readonly approveSteps: boolean
  /** Who is asked; the terminal when absent. */
  readonly approver?: Layer.Layer<Approver>
}

const doorsOf = ({ approveSteps, approver, sink }: Pick<Work, "approveSteps" | "approver" | "sink">): RunDoors => ({
  listen: sink.listen,
  approveSteps,
  ...(approver === undefined ? {} : { approver })
})

/** Runs a prompt to its report. */
export const runPrompt = Effect.fn("runPrompt")(function* (work: Work) {
  const { flags, order, project } = work
  const setup = yield* readSetup(project, flags)
  const named: RunOrder = { runId: yield* makeRunId, ...order }
  return yield* Effect.gen(function* () {
    yield* tellNotes(setup, flags)
    return yield* conduct(named)
  }).pipe(
    Effect.provide(layerRun(setup, { ...doorsOf(work), journal: layerJournal(setup, named) })),
    Effect.tapCause((cause) => (Cause.hasInterrupts(cause) ? Effect.void : work.sink.abort("The run broke off.")))
  )
})

/** What a run that goes on is given: which one, and flags over what it was begun with. */
export interface Resumption extends Omit<Work, "project" | "order"> {
  readonly run: string
}

/** Goes on with a run to its report. */
export const resumeRun = Effect.fn("resumeRun")(function* (work: Resumption) {
  const { flags, run } = work
  const { opened, setup } = yield* Effect.provide(reopenSetup(run, flags), layerRuns)
  return yield* Effect.gen(function* () {
    yield* tellNotes(setup, flags)
    return yield* conduct(opened.order)
  }).pipe(
    Effect.provide(layerRun(setup, { ...doorsOf(work), journal: layerReopenedJournal(setup, opened.order) })),
    Effect.tapCause((cause) => (Cause.hasInterrupts(cause) ? Effect.void : work.sink.abort("The run broke off.")))
  )
})

/** Makes the task list for a prompt. */
export const planPrompt = Effect.fn("planPrompt")(function* (work: Work) {
  const { flags, order, project } = work
  const setup = yield* readSetup(project, flags)
  return yield* Effect.gen(function* () {
    yield* tellNotes(setup, flags)
    const pipeline = yield* Pipeline
    return yield* pipeline.plan({ runId: yield* makeRunId, ...order })
  }).pipe(Effect.provide(layerRun(setup, doorsOf(work))))
})

/** The tools, plugins and skills that a run in this project would have. */
export const readCatalogue = Effect.fn("readCatalogue")(function* (
  project: string,
  plugins: ReadonlyArray<string> = []
) {
  const setup = yield* readSetup(project, { plugins })
  return yield* Effect.gen(function* () {
    const { problems, tools } = yield* ToolRegistry
    const { known } = yield* PluginPackages
    const { known: servers } = yield* McpPlugins
    const { all, notes } = yield* Skills
    return { tools, problems, known, servers, skills: all, notes }
  }).pipe(Effect.provide(layerCatalogue(setup)))
})
