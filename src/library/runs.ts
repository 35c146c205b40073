/**
 * Saved runs for scripts, as promises: which there are, what they hold, resuming, forking and replaying one. Gives what
 * the command line gives with `--json`.
 */
import * as Effect from "effect/Effect"
import type { RunDifference } from "../plugins/replay/RunDifference.ts"
import { overviewEvents, type RunOverview, runOverview, type RunSummary } from "../domain/history/RunOverview.ts"
import type { TaskEvidence } from "../domain/history/RunEvidence.ts"
import type { ReportData } from "../plugins/report/ReportData.ts"
import { build } from "../app/build.ts"
import type { RunChange } from "../services/history/RunChanges.ts"
import { changesOfRun, layerRuns, makeReport, readRun, readTask, replayRun, undoRun } from "./lateApp.ts"
import { withOptions } from "./optionNames.ts"
import { requireRun } from "./Conductor.ts"
import { onThisMachine } from "./programSettings.ts"
import type { RunReport } from "../domain/runs/RunReport.ts"
import type { SchemaSource } from "../domain/tools/SchemaSource.ts"
import type { RequestMaterial, WithValue } from "./requests.ts"
import { startHandle, type WorkHandle } from "./WorkHandle.ts"
import { conduct, type ScriptOptions } from "./scriptOptions.ts"
import type { Arbitrate } from "../app/callbackApprover.ts"
import type { Plugin } from "../services/tools/Plugin.ts"
import { RunStore } from "../services/history/RunStore.ts"

/** Where a function looks for saved runs. */
export type SavedRunOptions = Pick<ScriptOptions, "stateFolder">

/**
 * How a run is resumed. What is left out is as it was when the run started, except for permissions: they are not saved.
 * `project` says where the project is now, if it was moved.
 */
export interface ResumeOptions<Output extends SchemaSource = SchemaSource>
  extends ScriptOptions, Pick<RequestMaterial<Output>, "outputSchema"> {
  /** Decides about uncertain calls; without it the run stops at one, as not permitted. */
  readonly arbitrate?: Arbitrate
}

/** How a run is forked. */
export interface ForkOptions<Output extends SchemaSource = SchemaSource>
  extends ScriptOptions, Pick<RequestMaterial<Output>, "outputSchema"> {
  /** The first task that is repeated, with all tasks after it. */
  readonly from: string
}

const withRuns =
  (options: SavedRunOptions) =>
  <A, E, R>(work: Effect.Effect<A, E, R | RunStore>) =>
    work.pipe(Effect.provide(layerRuns), onThisMachine(options))

/** All saved runs, the newest first. */
export const runs = (options: SavedRunOptions = {}): Promise<ReadonlyArray<RunSummary>> =>
  RunStore.use(({ list }) => list).pipe(withRuns(options), Effect.runPromise)

/** What a run planned, did and found. */
export const showRun = (runId: string, options: SavedRunOptions = {}): Promise<RunOverview> =>
  requireRun(runId).pipe(
    Effect.andThen(readRun(runId, undefined, ({ event }) => overviewEvents.has(event))),
    Effect.map(({ head, records }) => runOverview(records, head)),
    withRuns(options),
    Effect.runPromise
  )

/** What one task of a run saw, said, called and found. */
export const showTask = (runId: string, task: string, options: SavedRunOptions = {}): Promise<TaskEvidence> =>
  requireRun(runId).pipe(
    Effect.andThen(readTask(runId, task)),
    Effect.map(({ evidence }) => evidence),
    withRuns(options),
    Effect.runPromise
  )

/**
 * Resumes a run: finished work is not repeated. Plugins and models that are values are not saved; give them
 * again. The report rejects also when there is no such run, when another process has it or its project, and when its
 * journal cannot be used.
 *
 * @example
 * ```ts
 * import { resume, runs } from "task-conductor"
 *
 * const [last] = await runs()
 * if (last !== undefined) console.log((await resume(last.runId, { approve: () => true }).report).status)
 * ```
 */
export const resume = <const Output extends SchemaSource = never>(
  runId: string,
  options: ResumeOptions<Output> = {}
): WorkHandle<WithValue<RunReport, Output>> =>
  startHandle({ runId, signal: options.signal }, () =>
    conduct("resume", options, (conductor) => conductor.resume(runId, options))
  ).handle

/** Starts a new run that reuses what another had finished before a task. The handle holds the id of the new run. */
export const fork = <const Output extends SchemaSource = never>(
  runId: string,
  options: ForkOptions<Output>
): WorkHandle<WithValue<RunReport, Output>> =>
  startHandle({ signal: options.signal }, (forked) =>
    conduct("fork", options, (conductor) => conductor.fork(runId, { ...options, runId: forked }))
  ).handle

/** What a run changed in the files of its project. */
export interface ChangesOfRun {
  /** The id of the run that made the changes. */
  readonly runId: string
  /** The folder of the project. */
  readonly project: string
  /** The changes, each with its diff. */
  readonly changes: ReadonlyArray<RunChange>
  /** The calls of which the effects are not known: of commands outside of a working copy, and of tools of plugins and servers. */
  readonly outside: ReadonlyArray<string>
}

/** What a run changed in files, with diffs that `git apply` takes. */
export const diffRun = (runId: string, options: SavedRunOptions = {}): Promise<ChangesOfRun> =>
  requireRun(runId).pipe(Effect.andThen(changesOfRun(runId)), withRuns(options), Effect.runPromise)

/** Which changes are undone; all of them without `paths`. */
export interface UndoOptions extends SavedRunOptions {
  /** Files or folders, absolute or relative to the project. */
  readonly paths?: ReadonlyArray<string>
  /** Makes the changes again that were undone. */
  readonly redo?: boolean
}

/** What was undone: the paths that were written or removed, relative to the project. */
export interface Undone {
  /** The id of the run whose changes were undone. */
  readonly runId: string
  /** The folder of the project. */
  readonly project: string
  /** The paths that were written or removed, relative to the project. */
  readonly paths: ReadonlyArray<string>
  /** Calls whose effects cannot be undone. */
  readonly outside: ReadonlyArray<string>
}

/** Takes back what a run changed in files, all of it or nothing. Rejects with `UndoRefused` where a file changed since. */
export const undo = (runId: string, options: UndoOptions = {}): Promise<Undone> => {
  const { paths = [], redo = false } = options
  return withOptions(options, "undo", () => requireRun(runId)).pipe(
    Effect.andThen(undoRun(runId, { paths, redo })),
    Effect.map(({ outside, paths: written, project, runId: undone }): Undone => ({
      runId: undone,
      project,
      paths: written,
      outside
    })),
    withRuns(options),
    Effect.runPromise
  )
}

/**
 * Removes a run with all its saved data, also what undoes its changes; false when a process works on it. Rejects when there is
 * no such run.
 */
export const removeRun = (runId: string, options: SavedRunOptions = {}): Promise<boolean> =>
  requireRun(runId).pipe(
    Effect.andThen(RunStore.use(({ remove }) => remove(runId))),
    withRuns(options),
    Effect.runPromise
  )

/** What `report` gives: `html` is a page that needs nothing else, `data` is what it says. */
export interface RunReportPage {
  /** A page that needs nothing else. */
  readonly html: string
  /** What the page says, as values. */
  readonly data: ReportData
}

/** Makes a page about a run: its plan, calls, changes and costs. Rejects when there is no such run. */
export const report = (runId: string, options: SavedRunOptions = {}): Promise<RunReportPage> =>
  requireRun(runId).pipe(
    Effect.andThen(makeReport(runId)),
    Effect.map(({ data, html }) => ({ data, html })),
    withRuns(options),
    Effect.runPromise
  )

/** The outcome of a replay: the differences from the saved run. */
export interface Replayed {
  /** The id of the saved run, which the replay repeats. */
  readonly runId: string
  /** True when nothing differs. */
  readonly same: boolean
  /** The versions of the program that made the run and that replayed it, with their builds. */
  readonly madeBy: string
  /** The version that replayed the run, with its build. */
  readonly replayedBy: string
  /** What differs, in order. */
  readonly differences: ReadonlyArray<RunDifference>
}

/** How a run is replayed: with the plugins that it was given as values. */
export interface ReplayOptions extends SavedRunOptions {
  /** The plugins that the run was given as values; others are in its journal. */
  readonly plugins?: ReadonlyArray<Plugin>
}

/** Replays a run from its journal alone: no model is asked, no tool runs, nobody is asked. */
export const replay = (runId: string, options: ReplayOptions = {}): Promise<Replayed> =>
  withOptions(options, "replay", () => requireRun(runId)).pipe(
    Effect.andThen(replayRun(runId, { plugins: options.plugins ?? [] })),
    Effect.map(({ differences, program: madeBy }) => ({
      runId,
      same: differences.length === 0,
      madeBy,
      replayedBy: build,
      differences
    })),
    withRuns(options),
    Effect.runPromise
  )
