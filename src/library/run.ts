/**
 * Runs and plans for scripts, as promises.
 */
import * as Effect from "effect/Effect"
import type { RunOrder } from "../domain/runs/RunOrder.ts"
import type { CheckedTaskList } from "../services/pipeline/Planner.ts"
import { makeRunId } from "../services/runs/RunId.ts"
import { beginRun, planRun } from "./lateApp.ts"
import { type RunHandle, startWork } from "./runHandle.ts"
import {
  configurationOf,
  onThisMachine,
  orderFiles,
  orderMaterial,
  portsOf,
  refuse,
  type ScriptOptions
} from "./scriptOptions.ts"

/** How a script orders a run. */
export interface RunOptions extends ScriptOptions {
  readonly prompt: string
  /** Skips planning: one task with this skill. */
  readonly skill?: string
  /** Skips planning: the markdown of a task list. */
  readonly plan?: string
  /** Changes nothing, whatever is allowed; such a run may work at the same time as others in its project. */
  readonly readOnly?: boolean
  /** False saves nothing of the run: it cannot be resumed, and is in no list. */
  readonly keep?: boolean
}

/** The run that the options ask for. */
export const newRunOf = Effect.fnUntraced(function* (options: RunOptions, runId: string) {
  const { plan, project = ".", prompt, readOnly, skill } = options
  if (skill !== undefined && plan !== undefined) {
    return yield* refuse('"skill" and "plan" exclude each other: both say what the tasks are. Leave one out.')
  }
  const order: RunOrder = {
    runId,
    prompt,
    ...orderFiles(options),
    ...(yield* orderMaterial(options)),
    ...(skill === undefined ? {} : { skill }),
    ...(plan === undefined ? {} : { plan }),
    ...(readOnly === undefined ? {} : { readOnly })
  }
  return { project, given: configurationOf(options), order }
})

const optionsOf = (given: string | RunOptions): RunOptions => (typeof given === "string" ? { prompt: given } : given)

/** Runs a prompt. The run starts at once, and is saved unless the options say otherwise. */
export const run = (given: string | RunOptions): RunHandle => {
  const options = optionsOf(given)
  const { keep = true, signal } = options
  return startWork({ signal }, (listen, runId) =>
    newRunOf(options, runId).pipe(
      Effect.flatMap((newRun) => beginRun({ ...newRun, keep }, portsOf(options, listen))),
      onThisMachine(options)
    )
  )
}

/** Makes a task list and checks it, without running it. Rejects when no attempt gives a valid one. */
export const plan = (given: string | RunOptions): Promise<CheckedTaskList> => {
  const { plan: _plan, skill: _skill, ...options } = optionsOf(given)
  const planned = makeRunId.pipe(
    Effect.flatMap((runId) => newRunOf(options, runId)),
    Effect.flatMap((newRun) =>
      planRun(
        newRun,
        portsOf(options, () => undefined)
      )
    ),
    onThisMachine(options)
  )
  return Effect.runPromise(planned, options.signal === undefined ? {} : { signal: options.signal })
}
