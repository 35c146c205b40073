/**
 * What a run changed in files, by its journal: for each file what it held before, and what the run wrote. A change ends
 * where somebody else wrote to the file in between.
 */
import type { FileKind } from "../files/FileKind.ts"
import type { FileState, JournalRecord } from "../journal/JournalRecord.ts"

/** The changes of a file by a run, between which nobody else changed it. */
export interface FileChange {
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

const kindOf = ({ kind }: Pick<FileState, "kind">) => (kind === undefined ? {} : { kind })

/** The changes in the order in which the files were first changed. */
export const fileChanges = (states: ReadonlyArray<FileState>): ReadonlyArray<FileChange> => {
  const byPath = new Map<string, Array<FileChange>>()
  for (const { after, before, path, ...state } of states) {
    const changes = byPath.get(path) ?? []
    byPath.set(path, changes)
    const last = changes.at(-1)
    const isNext = last !== undefined && last.texts.at(-1) === before
    if (isNext) changes.pop()
    changes.push(
      isNext
        ? { ...state, ...last, ...kindOf(state), texts: [...last.texts, after] }
        : { ...state, path, texts: [after] }
    )
  }
  return [...byPath.values()].flat()
}
