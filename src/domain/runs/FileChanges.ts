/**
 * Which files a run changed, by the results of its calls: those that name a path and a diff.
 */
import type { TaskResult } from "../plan/TaskResult.ts"

/** A file with the lines that were added and removed; `isPartial` when a diff was too long to be counted to its end. */
export interface FileChange {
  readonly path: string
  readonly added: number
  readonly removed: number
  readonly isNew: boolean
  readonly isPartial: boolean
}

const isChange = (data: unknown): data is { readonly path: string; readonly diff: string } =>
  typeof data === "object" &&
  data !== null &&
  "path" in data &&
  typeof data.path === "string" &&
  "diff" in data &&
  typeof data.diff === "string"

const countDiff = (path: string, diff: string): FileChange => {
  const lines = diff.split("\n")
  const body = lines.filter((line) => !line.startsWith("+++ ") && !line.startsWith("--- "))
  return {
    path,
    added: body.filter((line) => line.startsWith("+")).length,
    removed: body.filter((line) => line.startsWith("-")).length,
    isNew: lines[0]?.startsWith("--- /dev/null") === true,
    isPartial: /^\(\d+ more lines of the diff are not shown\)$/.test(lines.at(-1) ?? "")
  }
}

/** What a call changed, by the data of its result; nothing when it changed no file. */
export const changeOf = (data: unknown): FileChange | undefined =>
  isChange(data) && data.diff !== "" ? countDiff(data.path, data.diff) : undefined

/** Each file once, in the order of its first change. */
export const fileChanges = (results: ReadonlyArray<TaskResult>): ReadonlyArray<FileChange> => {
  const changes = new Map<string, FileChange>()
  for (const { calls } of results) {
    for (const { result } of calls) {
      const next = result.success ? changeOf(result.data) : undefined
      if (next === undefined) continue
      const before = changes.get(next.path)
      changes.set(
        next.path,
        before === undefined
          ? next
          : {
              path: next.path,
              added: before.added + next.added,
              removed: before.removed + next.removed,
              isNew: before.isNew,
              isPartial: before.isPartial || next.isPartial
            }
      )
    }
  }
  return [...changes.values()]
}
