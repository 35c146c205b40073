/**
 * What a round or a run did not do, as the stages after it are told.
 */
import { rawBlock } from "../markdown/PromptBlock.ts"
import { failureLines } from "../models/ExecutionBlocks.ts"
import type { RequestedChange } from "../permissions/ApprovalItem.ts"
import type { TaskName } from "../plan/TaskName.ts"
import type { TaskFailure } from "../plan/TaskResult.ts"
import { shares } from "../text/Excerpt.ts"
import { listWithin } from "../text/ListExcerpt.ts"
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
export const wishBlock = (wishes: ReadonlyArray<RequestedChange>): string =>
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

/** One list of what was not done: a line for each, and the tasks for when there is no room for the lines. */
interface Undone {
  readonly heading: string
  readonly lines: string
  readonly tasks: ReadonlyArray<TaskName>
  readonly advice?: string
}

const moreTasks = (count: number): string =>
  `- ${count} more ${count === 1 ? "task" : "tasks"}; there is no room here for the ${count === 1 ? "name" : "names"}.`

/**
 * Whole lines, or the names of the tasks, or as many names as have room and how many more there are. All lists together
 * take at most `room` characters more than without a name.
 */
const undoneBlocks = (all: ReadonlyArray<Undone>, room: number): string => {
  const lists = all.map((one) => {
    const names = [...new Set(one.tasks)].map((name) => `- "${name}"`)
    return { ...one, names, least: one.lines === "" ? 0 : moreTasks(names.length).length }
  })
  const wanted = shares(
    lists.map(({ least, lines }) => Math.max(0, lines.length - least)),
    room
  )
  return lists
    .map(({ advice, heading, least, lines, names }, index) => {
      const limit = least + (wanted[index] ?? 0)
      const text = lines.length <= limit ? lines : listWithin(names, limit, moreTasks).text
      return rawBlock(heading, advice === undefined ? text : advised(text, advice))
    })
    .join("")
}

const failed = ({ failures }: NotDone): Undone => ({
  heading: "## Tasks that failed",
  lines: failureLines(failures),
  tasks: failures.map(({ task }) => task)
})

/** The changes that are missing although their tasks have a result. */
const unchanged = ({ failures, missing }: NotDone): Undone => {
  const withoutResult = new Set(failures.map(({ task }) => task))
  const shown = missing.filter(({ task }) => !withoutResult.has(task))
  return {
    heading: "## Changes that were not made",
    lines: missingChangeLines(shown),
    tasks: shown.map(({ task }) => task)
  }
}

/** What was not done, for the stage that plans what is left. Lines are cut to `room`; see `undoneBlocks`. */
export const leftBlock = (notDone: NotDone, room = Number.POSITIVE_INFINITY): string =>
  undoneBlocks(
    [
      {
        ...failed(notDone),
        advice: "Do not repeat a failed task as it was: reach its goal in another way, or leave it out."
      },
      {
        ...unchanged(notDone),
        advice:
          "These are missing although their tasks have a result. Add a task under a new name that makes them, or leave them out if they cannot be made."
      }
    ],
    room
  )

/** The tasks that failed, the changes that are missing, and the tasks never run, for the stage that answers; likewise. */
export const notDoneBlock = (notDone: NotDone, room = Number.POSITIVE_INFINITY): string => {
  const { notRun = [] } = notDone
  const neverRun = {
    heading: "## Tasks that were not run",
    lines: notRun.map(({ task, why }) => `- "${task}": ${why}`).join("\n"),
    tasks: notRun.map(({ task }) => task)
  }
  return undoneBlocks([failed(notDone), unchanged(notDone), neverRun], room)
}
