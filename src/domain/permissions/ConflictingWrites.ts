/**
 * Finds files that several tasks of one section would write. Such tasks run in parallel, so the last one to write
 * wins, and the plan does not say which one that is.
 */
import type { CanonicalAccess } from "../tools/Access.ts"
import type { Repair } from "../findings/Issue.ts"
import { makeRepair } from "../findings/IssueCode.ts"

interface ConflictingWrite {
  /** The canonical path. */
  readonly path: string
  readonly tasks: ReadonlyArray<string>
}

/** A task with everything that its calls would access. */
export interface TouchingTask {
  readonly task: string
  readonly accesses: ReadonlyArray<CanonicalAccess>
}

/** The files that more than one of the tasks would write, in the order in which they are first written. */
export const conflictingWrites = (tasks: ReadonlyArray<TouchingTask>): ReadonlyArray<ConflictingWrite> => {
  const writers = new Map<string, Set<string>>()
  for (const { accesses, task } of tasks) {
    for (const access of accesses) {
      if (access._tag !== "WriteFile") continue
      writers.set(access.path, (writers.get(access.path) ?? new Set()).add(task))
    }
  }
  return [...writers].filter(([, names]) => names.size > 1).map(([path, names]) => ({ path, tasks: [...names] }))
}

export const conflictingWriteNote = (section: string, { path, tasks }: ConflictingWrite): Repair =>
  makeRepair(
    "writers-of-one-file",
    { section },
    `${tasks.map((task) => `"${task}"`).join(" and ")} run in parallel and write ${path}; the last one to write wins.`
  )
