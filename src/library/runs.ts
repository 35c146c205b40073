/** Saved runs, as promises for scripts. The results equal the output of the command line with `--json`. */
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

/** The folder in which a function looks for saved runs. */
export type SavedRunOptions = Pick<ScriptOptions, "stateFolder">

/**
 * The options for resuming a run. An absent option stays as at the run's start, except permissions, which are not
 * saved. If the project was moved, `project` is its new folder.
 */
export interface ResumeOptions<Output extends SchemaSource = SchemaSource>
  extends ScriptOptions, Pick<RequestMaterial<Output>, "outputSchema"> {
  /**
   * Decides about uncertain calls. Without it, the run stops at the first uncertain call, with the status
   * `not_permitted`.
   */
  readonly arbitrate?: Arbitrate
}

/** The options for forking a run. */
export interface ForkOptions<Output extends SchemaSource = SchemaSource>
  extends ScriptOptions, Pick<RequestMaterial<Output>, "outputSchema"> {
  /** The first task that the new run repeats, with all later tasks. */
  readonly from: string
}

const withRuns =
  (options: SavedRunOptions) =>
  <A, E, R>(work: Effect.Effect<A, E, R | RunStore>) =>
    work.pipe(Effect.provide(layerRuns), onThisMachine(options))

/** All saved runs, the newest first. */
export const runs = (options: SavedRunOptions = {}): Promise<ReadonlyArray<RunSummary>> =>
  RunStore.use(({ list }) => list).pipe(withRuns(options), Effect.runPromise)

/** The plan, the states of the tasks, and the answer of a run. Rejects if there is no such run. */
export const showRun = (runId: string, options: SavedRunOptions = {}): Promise<RunOverview> =>
  requireRun(runId).pipe(
    Effect.andThen(readRun(runId, undefined, ({ event }) => overviewEvents.has(event))),
    Effect.map(({ head, records }) => runOverview(records, head)),
    withRuns(options),
    Effect.runPromise
  )

/** The prompts, answers, calls and result of one task of a run. Rejects if there is no such run or task. */
export const showTask = (runId: string, task: string, options: SavedRunOptions = {}): Promise<TaskEvidence> =>
  requireRun(runId).pipe(
    Effect.andThen(readTask(runId, task)),
    Effect.map(({ evidence }) => evidence),
    withRuns(options),
    Effect.runPromise
  )

/**
 * Resumes a run without repeating finished work. Plugins and models that are values are not saved, so pass them again.
 * The report also rejects if there is no such run or its journal cannot be used. It rejects if another process works on
 * the run or on its project.
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

/** Starts a new run that reuses the work of another run before a task. The handle contains the id of the new run. */
export const fork = <const Output extends SchemaSource = never>(
  runId: string,
  options: ForkOptions<Output>
): WorkHandle<WithValue<RunReport, Output>> =>
  startHandle({ signal: options.signal }, (forked) =>
    conduct("fork", options, (conductor) => conductor.fork(runId, { ...options, runId: forked }))
  ).handle

/** The file changes of a run in its project. */
export interface ChangesOfRun {
  /** The id of the run that made the changes. */
  readonly runId: string
  /** The folder of the project. */
  readonly project: string
  /** The changes, each with its diff. */
  readonly changes: ReadonlyArray<RunChange>
  /** Calls with unknown effects: commands outside of a working copy, and tools of plugins and servers. */
  readonly outside: ReadonlyArray<string>
}

/** Returns the file changes of a run, with diffs for `git apply`. Rejects if there is no such run. */
export const diffRun = (runId: string, options: SavedRunOptions = {}): Promise<ChangesOfRun> =>
  requireRun(runId).pipe(Effect.andThen(changesOfRun(runId)), withRuns(options), Effect.runPromise)

/** Which changes to undo. Default: all. */
export interface UndoOptions extends SavedRunOptions {
  /** Files or folders, absolute or relative to the project. */
  readonly paths?: ReadonlyArray<string>
  /** True to redo undone changes. */
  readonly redo?: boolean
}

/** The result of `undo`. */
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

/** Takes back all file changes of a run, or none. Rejects with `UndoRefused` if a file has changed since. */
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
 * Removes a run and its data, including the data for `undo`. Returns false if a process is working on it. Rejects if
 * there is no such run.
 */
export const removeRun = (runId: string, options: SavedRunOptions = {}): Promise<boolean> =>
  requireRun(runId).pipe(
    Effect.andThen(RunStore.use(({ remove }) => remove(runId))),
    withRuns(options),
    Effect.runPromise
  )

/** The result of `report`. */
export interface RunReportPage {
  /** A page without references to other files. */
  readonly html: string
  /** The content of the page, as values. */
  readonly data: ReportData
}

/** Makes a page about a run: its plan, calls, changes and costs. Rejects if there is no such run. */
export const report = (runId: string, options: SavedRunOptions = {}): Promise<RunReportPage> =>
  requireRun(runId).pipe(
    Effect.andThen(makeReport(runId)),
    Effect.map(({ data, html }) => ({ data, html })),
    withRuns(options),
    Effect.runPromise
  )

/** The differences between a replay and the saved run. */
export interface Replayed {
  /** The id of the saved run. */
  readonly runId: string
  /** True if nothing differs. */
  readonly same: boolean
  /** The versions of task-conductor that made the run, with their builds. */
  readonly madeBy: string
  /** The version of task-conductor that replayed the run, with its build. */
  readonly replayedBy: string
  /** The differences, in order. */
  readonly differences: ReadonlyArray<RunDifference>
}

/** Options of a replay, which runs a saved run again with the recorded answers of the model. */
export interface ReplayOptions extends SavedRunOptions {
  /** The plugins that the run received as values. The journal contains the tools of all other plugins. */
  readonly plugins?: ReadonlyArray<Plugin>
}

/** Replays a run from its journal, without calling a model, running a tool or asking anybody. */
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
