/** Finds the files that a run changed, from results of calls with a path and a diff. */
import * as Schema from "effect/Schema"
import type { TaskResult } from "../plan/TaskResult.ts"

/**
 * A file with the numbers of its added and removed lines. `isPartial` is true if a diff was too long to count all
 * lines.
 */
export interface FileChange {
  readonly path: string
  readonly added: number
  readonly removed: number
  readonly isNew: boolean
  readonly isRemoved: boolean
  readonly isPartial: boolean
}

const isChange = Schema.is(Schema.Struct({ path: Schema.String, diff: Schema.String }))

const countDiff = (path: string, diff: string): FileChange => {
  const lines = diff.split("\n")
  const body = lines.slice(2)
  return {
    path,
    added: body.filter((line) => line.startsWith("+")).length,
    removed: body.filter((line) => line.startsWith("-")).length,
    isNew: lines[0] === "--- /dev/null",
    isRemoved: lines[1] === "+++ /dev/null",
    isPartial: /^\(\d+ more lines of the diff are not shown\)$/.test(lines.at(-1) ?? "")
  }
}

/** The change in the result of a call, if it changed a file. */
export const changeOf = (data: unknown): FileChange | undefined =>
  isChange(data) && data.diff !== "" ? countDiff(data.path, data.diff) : undefined

/** The changed files, each once, in the order of their first changes. */
export const fileChanges = (results: ReadonlyArray<TaskResult>): ReadonlyArray<FileChange> => {
  const changes = results.flatMap(({ calls }) =>
    calls.flatMap(({ result }) => (result.success ? (changeOf(result.data) ?? []) : []))
  )
  return [...Map.groupBy(changes, ({ path }) => path)].map(([path, all]) => ({
    path,
    added: all.reduce((sum, { added }) => sum + added, 0),
    removed: all.reduce((sum, { removed }) => sum + removed, 0),
    isNew: all[0]?.isNew === true,
    isRemoved: all.at(-1)?.isRemoved === true,
    isPartial: all.some(({ isPartial }) => isPartial)
  }))
}
