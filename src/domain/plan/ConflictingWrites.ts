/** Finds files that several tasks of one section would write. */
import { type Repair, makeRepair } from "../findings/Issue.ts"
import { type CanonicalAccess, writesIn } from "../tools/Access.ts"

/**
 * A file that several tasks of one section would write. They run side by side, so it is undefined which writes last.
 */
interface ConflictingWrite {
  readonly path: string
  readonly tasks: ReadonlyArray<string>
}

interface TouchingTask {
  readonly task: string
  readonly accesses: ReadonlyArray<CanonicalAccess>
}

/** The files that several tasks would write, in the order of their first write. */
export const conflictingWrites = (tasks: ReadonlyArray<TouchingTask>): ReadonlyArray<ConflictingWrite> => {
  const writes = tasks.flatMap(({ accesses, task }) => writesIn(accesses).map(({ path }) => ({ path, task })))
  return [...Map.groupBy(writes, ({ path }) => path)]
    .map(([path, same]) => ({ path, tasks: [...new Set(same.map(({ task }) => task))] }))
    .filter((shared) => shared.tasks.length > 1)
}

export const conflictingWriteNote = (section: string, { path, tasks }: ConflictingWrite): Repair =>
  makeRepair(
    "writers-of-one-file",
    { section },
    `${tasks.map((task) => `"${task}"`).join(" and ")} run side by side and write ${path}; their changes are put together.`
  )
