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

/** What to do about the lines of a block, under them: a prompt without the block need not say it. */
const advised = (lines: string, advice: string): string => (lines === "" ? "" : `${lines}\n\n${advice}`)

/** What a person wants instead of what they declined, for the stage that plans what is left. */
export const wishBlock = (wishes: ReadonlyArray<Wish>): string =>
  rawBlock(
    "## What the person wants instead",
    advised(
      wishes
        .map(
          ({ declined, instead }) => `- The person declined "${declined}" and said: ${instead.replaceAll(/\s+/g, " ")}`
        )
        .join("\n"),
      "This counts more than the plan: write the tasks that do it, and leave out what was declined."
    )
  )

/** The changes that are missing although their tasks have a result. */
const missingLines = ({ failures, missing }: NotDone): string => {
  const failed = new Set(failures.map(({ task }) => task))
  return missingChangeLines(missing.filter(({ task }) => !failed.has(task)))
}

/** What was not done, for the stage that plans what is left. */
export const leftBlock = (notDone: NotDone): string =>
  [
    rawBlock(
      "## Tasks that failed",
      advised(
        failureLines(notDone.failures),
        "Do not repeat a failed task as it was: reach its goal in another way, or leave it out."
      )
    ),
    rawBlock(
      "## Changes that were not made",
      advised(
        missingLines(notDone),
        "These are missing although their tasks have a result. Add a task under a new name that makes them, or leave them out if they cannot be made."
      )
    )
  ].join("")

/** The tasks that failed, the changes that are missing, and the tasks never run, for the stage that answers. */
export const notDoneBlock = (notDone: NotDone): string => {
  const { failures, notRun = [] } = notDone
  return [
    rawBlock("## Tasks that failed", failureLines(failures)),
    rawBlock("## Changes that were not made", missingLines(notDone)),
    rawBlock("## Tasks that were not run", notRun.map(({ task, why }) => `- "${task}": ${why}`).join("\n"))
  ].join("")
}
