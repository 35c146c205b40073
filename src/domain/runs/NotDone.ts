/**
 * What a round or a run did not do, as the stages after it are told.
 */
import { rawBlock } from "../markdown/PromptBlock.ts"
import { failureLines } from "../models/ExecutionBlocks.ts"
import type { Wish } from "../permissions/ApprovalItem.ts"
import type { TaskName } from "../plan/TaskName.ts"
import type { TaskFailure } from "../plan/TaskResult.ts"
import { type MissingChange, missingChangeLines } from "./PromisedChanges.ts"

/** A task that never ran; `why` is a sentence. */
export interface NotRun {
  readonly task: TaskName
  readonly why: string
}

export interface NotDone {
  readonly failures: ReadonlyArray<TaskFailure>
  readonly missing: ReadonlyArray<MissingChange>
  readonly notRun?: ReadonlyArray<NotRun>
}

/** What a person wants instead of what they declined, for the stage that plans what is left. */
export const wishBlock = (wishes: ReadonlyArray<Wish>): string =>
  rawBlock(
    "## What the person wants instead",
    wishes
      .map(
        ({ declined, instead }) => `- The person declined "${declined}" and said: ${instead.replaceAll(/\s+/g, " ")}`
      )
      .join("\n")
  )

/** The tasks that failed, the changes that are missing although their tasks have a result, and the tasks never run. */
export const notDoneBlock = ({ failures, missing, notRun = [] }: NotDone): string => {
  const failed = new Set(failures.map(({ task }) => task))
  const others = missing.filter(({ task }) => !failed.has(task))
  return [
    rawBlock("## Tasks that failed", failureLines(failures)),
    rawBlock("## Changes that were not made", missingChangeLines(others)),
    rawBlock("## Tasks that were not run", notRun.map(({ task, why }) => `- "${task}": ${why}`).join("\n"))
  ].join("")
}
