/**
 * What the commands do once flags are read. Loaded when it is needed: help, wrong usage and `check` start without it.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { layerRun } from "../../app/runLayers.ts"
import { layerCatalogue } from "../../app/projectLayers.ts"
import { beginRun, forkRun, layerRuns, type ReadyRun, replayRun, resumeRun } from "../../app/runs.ts"
import { readSetup } from "../../app/setup.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import type { Approver } from "../../services/approvals/Approver.ts"
import { McpPlugins } from "../../services/mcp/McpPlugins.ts"
import { Pipeline } from "../../services/pipeline/Pipeline.ts"
import { makeRunId } from "../../services/runs/RunId.ts"
import { PluginPackages } from "../../services/plugins/PluginPackages.ts"
import { Skills } from "../../services/skills/Skills.ts"
import { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import type { EventSink } from "../terminal/EventSink.ts"
import { Output } from "../terminal/Output.ts"
import { tellWarnings } from "../terminal/warnings.ts"

export { listPlugins, unlistedProblems } from "../plugins/pluginList.ts"

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

/** What the commands bring to whatever they carry out. */
const doorsOf = ({ approveSteps, approver, sink }: Pick<Work, "approveSteps" | "approver" | "sink">) => ({
  listen: sink.listen,
  approveSteps,
  ...(approver === undefined ? {} : { approver })
})

const tornNote =
  "note: the last record of the journal was not written to its end. It is set aside beside the journal, and what it told is done again."

/** What the commands bring to a run that is kept: what should be known is told before it begins. */
const keptDoorsOf = (work: Pick<Work, "approveSteps" | "approver" | "flags" | "sink">) => ({
  ...doorsOf(work),
  before: ({ isTorn, setup }: ReadyRun) =>
    Effect.andThen(
      tellWarnings(setup, work.flags),
      Output.use(({ tell }) => (isTorn ? tell(tornNote) : Effect.void))
    )
})

/** Tells the stream of events that it ends in the middle, when it does. */
const toldToTheEnd =
  ({ sink }: Pick<Work, "sink">) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.tapCause(work, (cause) => (Cause.hasInterrupts(cause) ? Effect.void : sink.abort("The run broke off.")))

/** Runs a prompt to its report. */
export const runPrompt = Effect.fn("runPrompt")(function* (work: Work) {
  const setup = yield* readSetup(work.project, work.flags)
  const order: RunOrder = { runId: yield* makeRunId, ...work.order }
  return yield* beginRun(setup, order, keptDoorsOf(work)).pipe(toldToTheEnd(work))
})

/** What a run that goes on is given: which one, and flags over what it was begun with. */
export interface Resumption extends Omit<Work, "project" | "order"> {
  readonly run: string
}

/** Goes on with a run to its report. */
export const reportResume = (work: Resumption) =>
  resumeRun(work.run, work.flags, keptDoorsOf(work)).pipe(Effect.provide(layerRuns), toldToTheEnd(work))

/** What a fork is given: which run, and from which task on everything is done anew. */
export interface Fork extends Resumption {
  readonly from: string
}

/** Begins a new run with what another had finished before a task. */
export const reportFork = (work: Fork) =>
  forkRun(work.run, work.from, work.flags, keptDoorsOf(work)).pipe(Effect.provide(layerRuns), toldToTheEnd(work))

/** Plays a run that is kept once more and compares what is told. */
export const reportReplay = (run: string) => Effect.provide(replayRun(run), layerRuns)

/** Makes the task list for a prompt. */
export const planPrompt = Effect.fn("planPrompt")(function* (work: Work) {
  const { flags, order, project } = work
  const setup = yield* readSetup(project, flags)
  return yield* Effect.gen(function* () {
    yield* tellWarnings(setup, flags)
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
