/**
 * Where a run is in the state folder, and the names of its locks.
 */
import type * as Path from "effect/Path"

/** `<state>/runs/<run>/journal.jsonl`. */
export const journalPath = (
  path: Path.Path,
  { runId, state }: { readonly runId: string; readonly state: string }
): string => path.join(state, "runs", runId, "journal.jsonl")

/** Where locks on runs leave a file, on systems that need one. */
export const lockFolder = (path: Path.Path, state: string): string => path.join(state, "locks")

/** The name of the lock on a journal. */
export const runLock = (journal: string): string => `run ${journal}`
