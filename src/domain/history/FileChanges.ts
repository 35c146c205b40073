/**
 * What a run changed in files, by its journal: for each file what it held before, and what the run wrote. A change ends
 * where somebody else wrote to the file in between.
 */
import type { FileState, JournalRecord } from "../journal/JournalRecord.ts"

/** The changes of a file by a run, between which nobody else changed it. */
export interface FileChange {
  /** Absolute. */
  readonly path: string
  /** The SHA-256 of the bytes before; `null` for a new file, absent when they are not kept. */
  readonly was?: string | null
  /** The SHA-256 of each text that the run wrote, the last one at the end. */
  readonly texts: ReadonlyArray<string>
  /** The outermost folder that the run made for the file. */
  readonly folder?: string
}

/** The calls that failed, and so changed nothing. */
const failedKeys = (records: ReadonlyArray<JournalRecord>): ReadonlySet<string> =>
  new Set(
    records.flatMap((record) => {
      if (record.type !== "outcome") return []
      const { success } = (record.value ?? {}) as { readonly success?: unknown }
      return success === false ? [record.key] : []
    })
  )

/** The files that the calls of a run changed, as far as is known, in their order. */
export const changedFiles = (records: ReadonlyArray<JournalRecord>): ReadonlyArray<FileState> => {
  const failed = failedKeys(records)
  return records.flatMap((record) => (record.type === "intent" && !failed.has(record.key) ? record.files : []))
}

/** The changes in the order in which the files were first changed. */
export const fileChanges = (states: ReadonlyArray<FileState>): ReadonlyArray<FileChange> => {
  const byPath = new Map<string, Array<FileChange & { readonly texts: Array<string> }>>()
  for (const { after, before, folder, path, was } of states) {
    const changes = byPath.get(path) ?? []
    byPath.set(path, changes)
    const last = changes.at(-1)
    if (last !== undefined && last.texts.at(-1) === before) last.texts.push(after)
    else
      changes.push({
        path,
        texts: [after],
        ...(was === undefined ? {} : { was }),
        ...(folder === undefined ? {} : { folder })
      })
  }
  return [...byPath.values()].flat()
}
