/**
 * How a script orders a run, for the doors that take such an order.
 */
import * as Effect from "effect/Effect"
import type { RunOrder } from "../domain/runs/RunOrder.ts"
import { refuse, type ScriptOptions } from "./scriptOptions.ts"

/** How a script orders a run. */
export interface RunOptions extends ScriptOptions {
  readonly prompt: string
  /** Skips planning: one task with this skill. */
  readonly skill?: string
  /** Skips planning: the markdown of a task list. */
  readonly plan?: string
  /** Changes nothing, whatever is allowed; such a run may go on beside others in its project. */
  readonly readOnly?: boolean
  /** False keeps nothing of the run: it cannot be resumed, and is in no list. */
  readonly keep?: boolean
}

/** The order that the options give. */
export const orderOf = ({ file, plan, prompt, readOnly, skill }: RunOptions, runId: string) =>
  skill !== undefined && plan !== undefined
    ? Effect.fail(refuse('"skill" and "plan" exclude each other: both say what the tasks are. Leave one out.'))
    : Effect.succeed<RunOrder>({
        runId,
        prompt,
        ...(file === undefined ? {} : { currentFile: file }),
        ...(skill === undefined ? {} : { skill }),
        ...(plan === undefined ? {} : { plan }),
        ...(readOnly === undefined ? {} : { readOnly })
      })
