/**
 * Runs and plans for scripts, as promises.
 */
import * as Effect from "effect/Effect"
import type { CheckedTaskList } from "../services/pipeline/Planner.ts"
import { makeRunId } from "../services/runs/RunId.ts"
import { beginRun, planRun } from "./lateApp.ts"
import { type RunHandle, startWork } from "./runHandle.ts"
import { newRunOf, type RunOptions } from "./runOptions.ts"
import { onThisMachine, portsOf } from "./scriptOptions.ts"

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
