/**
 * How a script orders a run, on this machine or on a cluster.
 */
import * as Effect from "effect/Effect"
import type { RunOrder } from "../domain/runs/RunOrder.ts"
import { configurationOf, orderFiles, orderMaterial, refuse, type ScriptOptions } from "./scriptOptions.ts"

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
