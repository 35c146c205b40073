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
import { forkRecords } from "../domain/ForkRecords.ts"
import { runDifferences } from "../domain/RunDifference.ts"
import type { RunEvent } from "../domain/RunEvent.ts"
import type { RunOrder } from "../domain/RunOrder.ts"
import type { Approver } from "../services/Approver.ts"
import { McpPlugins } from "../services/McpPlugins.ts"
import { Pipeline } from "../services/Pipeline.ts"
import { makeReplay } from "../services/Replay.ts"
import { conduct } from "../services/RunWorkflow.ts"
import { makeRunId } from "../services/RunId.ts"
import { PluginPackages } from "../services/PluginPackages.ts"
import { Skills } from "../services/Skills.ts"
import { ToolRegistry } from "../services/ToolRegistry.ts"
import type { EventSink } from "./EventSink.ts"
import { noTask, readRun } from "./keptRuns.ts"
import { Output } from "./Output.ts"
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

const doorsOf = (
  { approveSteps, approver, sink }: Pick<Work, "approveSteps" | "approver" | "sink">,
  { readOnly = false }: Pick<RunOrder, "readOnly">
): RunDoors => ({
  readOnly,
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
    Effect.provide(layerRun(setup, { ...doorsOf(work, named), journal: layerJournal(setup, named) })),
    Effect.tapCause((cause) => (Cause.hasInterrupts(cause) ? Effect.void : work.sink.abort("The run broke off.")))
  )
})

/** What a run that goes on is given: which one, and flags over what it was begun with. */
export interface Resumption extends Omit<Work, "project" | "order"> {
  readonly run: string
}

const tornNote =
  "note: the last record of the journal was not written to its end. It is set aside beside the journal, and what it told is done again."

/** Goes on with a run to its report. */
export const resumeRun = Effect.fn("resumeRun")(function* (work: Resumption) {
  const { flags, run } = work
  const { isTorn, opened, setup } = yield* Effect.provide(reopenSetup(run, flags), layerRuns)
  return yield* Effect.gen(function* () {
    yield* tellNotes(setup, flags)
    if (isTorn) yield* (yield* Output).tell(tornNote)
    return yield* conduct(opened.order)
  }).pipe(
    Effect.provide(
      layerRun(setup, { ...doorsOf(work, opened.order), journal: layerReopenedJournal(setup, opened.order) })
    ),
    Effect.tapCause((cause) => (Cause.hasInterrupts(cause) ? Effect.void : work.sink.abort("The run broke off.")))
  )
})

/** What a fork is given: which run, and from which task on everything is done anew. */
export interface Fork extends Resumption {
  readonly from: string
}

/** Begins a new run with what another had finished before a task. */
export const forkRun = Effect.fn("forkRun")(function* (work: Fork) {
  const { flags, from, run } = work
  const { records } = yield* readRun(run)
  const begin = forkRecords(records, from)
  if (begin === undefined) return yield* noTask(run, records, from)
  const { opened, setup } = yield* Effect.provide(reopenSetup(run, flags), layerRuns)
  const order: RunOrder = { ...opened.order, runId: yield* makeRunId }
  return yield* Effect.gen(function* () {
    yield* tellNotes(setup, flags)
    return yield* conduct(order)
  }).pipe(
    Effect.provide(layerRun(setup, { ...doorsOf(work, order), journal: layerJournal(setup, order, begin) })),
    Effect.tapCause((cause) => (Cause.hasInterrupts(cause) ? Effect.void : work.sink.abort("The run broke off.")))
  )
})

/** Plays a run that is kept once more, from its journal alone, and compares what is told. */
export const replayRun = Effect.fn("replayRun")(function* (run: string) {
  const { records } = yield* readRun(run)
  const { opened, setup } = yield* Effect.provide(reopenSetup(run, {}), layerRuns)
  const replay = yield* makeReplay(records)
  const told: Array<RunEvent> = []
  const layer = layerRun(setup, {
    listen: ({ event }) => Effect.sync(() => void told.push(event)),
    approveSteps: false,
    approver: replay.approver,
    activities: replay.activities
  })
  const missing = yield* Effect.raceFirst(
    Effect.as(Effect.provide(conduct(opened.order), layer), undefined),
    replay.missing
  )
  const before = records.flatMap((record) => (record.type === "event" ? [record.event] : []))
  const differences = missing === undefined ? runDifferences(before, told) : [missing]
  return { runId: opened.order.runId, differences: [...replay.changed(), ...differences], events: told.length }
})

/** Makes the task list for a prompt. */
export const planPrompt = Effect.fn("planPrompt")(function* (work: Work) {
  const { flags, order, project } = work
  const setup = yield* readSetup(project, flags)
  return yield* Effect.gen(function* () {
    yield* tellNotes(setup, flags)
    const pipeline = yield* Pipeline
    return yield* pipeline.plan({ runId: yield* makeRunId, ...order })
  }).pipe(Effect.provide(layerRun(setup, doorsOf(work, order))))
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
