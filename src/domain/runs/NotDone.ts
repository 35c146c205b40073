/**
 * What a round or a run did not do, as the stages after it are told.
 */
import { rawBlock } from "../markdown/PromptBlock.ts"
import { failureLines } from "../models/ExecutionBlocks.ts"
import type { TaskFailure } from "../plan/TaskResult.ts"
import { type MissingChange, missingChangeLines } from "./PromisedChanges.ts"

export interface NotDone {
  readonly failures: ReadonlyArray<TaskFailure>
  readonly missing: ReadonlyArray<MissingChange>
}

/** The tasks that failed, and the changes that are missing although their tasks have a result. */
export const notDoneBlock = ({ failures, missing }: NotDone): string => {
  const failed = new Set(failures.map(({ task }) => task))
  const others = missing.filter(({ task }) => !failed.has(task))
  return [
    rawBlock("## Tasks that failed", failureLines(failures)),
    rawBlock("## Changes that were not made", missingChangeLines(others))
  ].join("")
}
