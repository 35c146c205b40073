/**
 * Reads the file changes of a run from its journal: the content before, and the contents that the run wrote. A change
 * by somebody else between two writes begins a new change.
 */
import type { FileKind } from "../files/FileKind.ts"
import type { FileState, JournalRecord } from "../journal/JournalRecord.ts"

/** Consecutive writes of a run to a file, without a write by somebody else between them. */
export interface ChangesOfFile {
  /** The absolute path. */
  readonly path: string
  /**
   * The SHA-256 of the bytes before the change; `null` for a new file. Absent if the journal does not store the bytes.
   */
  readonly was?: string | null
  /** The file mode before the change. Absent if the run did not change the mode. */
  readonly mode?: number
  /**
   * The SHA-256 of each text that the run wrote, in order. A `null` in the list means that the run removed the file.
   */
  readonly texts: ReadonlyArray<string | null>
  /** The new kind of the file, such as `link`. Absent if the run did not change the kind. */
  readonly kind?: FileKind
  /** The outermost folder that the run created for the file. */
  readonly folder?: string
  /** The folder around the file, if the run removed or moved this folder as a whole. */
  readonly goes?: string
}

/** The keys of calls that failed and therefore changed nothing. */
const failedKeys = (records: ReadonlyArray<JournalRecord>): ReadonlySet<string> =>
  new Set(
    records.flatMap((record) => {
      if (record.type !== "outcome") return []
      const { success } = (record.value ?? {}) as { readonly success?: unknown }
      return success === false ? [record.key] : []
    })
  )

/** The files that the calls of a run changed, in order. */
export const changedFiles = (records: ReadonlyArray<JournalRecord>): ReadonlyArray<FileState> => {
  const failed = failedKeys(records)
  return records.flatMap((record) => (record.type === "intent" && !failed.has(record.key) ? record.files : []))
}

/** The kind of the file after a write. A file that is written again after its removal is plain. */
const kindOf = ({ after, kind }: FileState, last: ChangesOfFile): Pick<ChangesOfFile, "kind"> => {
  if (kind !== undefined) return { kind }
  return after !== null && last.texts.at(-1) === null && last.mode !== undefined ? { kind: "plain" } : {}
}

/** True if the file still has the content that the run last wrote to it. */
const isAsLeft = (before: string | null, last: FileState | undefined): boolean =>
  last !== undefined && [last.after, last.reads ?? last.after, `link ${last.after}`].includes(before)

/** The changes of all files, in the order of their first changes. */
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
