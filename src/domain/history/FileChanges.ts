/**
 * What a run changed in files, by its journal: for each file what it held before, and what the run wrote. A change ends
 * where somebody else wrote to the file in between.
 */
import type { FileKind } from "../files/FileKind.ts"
import type { FileState, JournalRecord } from "../journal/JournalRecord.ts"

/** The changes of a file by a run, between which nobody else changed it. */
export interface ChangesOfFile {
  /** Absolute. */
  readonly path: string
  /** The SHA-256 of the bytes before; `null` for a new file, absent when they are not kept. */
  readonly was?: string | null
  /** The mode before, where the run changed it. */
  readonly mode?: number
  /** The SHA-256 of each text that the run wrote, the last one at the end; `null` where it removed the file. */
  readonly texts: ReadonlyArray<string | null>
  /** What the run made of the file, where that is not what it was. */
  readonly kind?: FileKind
  /** The outermost folder that the run made for the file. */
  readonly folder?: string
  /** The folder that went as a whole with the file. */
  readonly goes?: string
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

/** What a write makes of a file; of one that was removed before it makes a plain one. */
const kindOf = ({ after, kind }: FileState, last: ChangesOfFile): Pick<ChangesOfFile, "kind"> => {
  if (kind !== undefined) return { kind }
  return after !== null && last.texts.at(-1) === null && last.mode !== undefined ? { kind: "plain" } : {}
}

/** True when a file has what the run left in it. */
const isAsLeft = (before: string | null, last: FileState | undefined): boolean =>
  last !== undefined && [last.after, last.reads ?? last.after, `link ${last.after}`].includes(before)

/** The changes in the order in which the files were first changed. */
export const fileChanges = (states: ReadonlyArray<FileState>): ReadonlyArray<ChangesOfFile> => {
  const byPath = new Map<string, Array<ChangesOfFile>>()
  const written = new Map<string, FileState>()
  for (const fileState of states) {
    const { after, before, path, reads: _reads, ...state } = fileState
    const changes = byPath.get(path) ?? []
    byPath.set(path, changes)
    const last = isAsLeft(before, written.get(path)) ? changes.pop() : undefined
    written.set(path, fileState)
    changes.push(
      last === undefined
        ? { ...state, path, texts: [after] }
        : { ...state, ...last, ...kindOf(fileState, last), texts: [...last.texts, after] }
    )
  }
  return [...byPath.values()].flat()
}
