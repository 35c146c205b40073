/**
 * What a journal tells of the files of a project, in the order in which it came to pass: which task was shown which text,
 * which wrote which, and from when on nobody can tell what stands in a file. Pure; called when a run goes on.
 */
import type { CallIntent, JournalRecord } from "./JournalRecord.ts"
import { slugOf } from "../text/Slug.ts"

/** Hashes are SHA-256 of texts in hex. Only what finished tasks were shown counts: others are shown it anew. */
export type FileTouch =
  | { readonly _tag: "Shown"; readonly task: string; readonly href: string; readonly hash: string }
  | { readonly _tag: "Written"; readonly task: string; readonly path: string; readonly hash: string }
  /** A call may have left anything in the file; in any file when it does not say which. */
  | { readonly _tag: "Unsure"; readonly path?: string }

/** The slugs of the tasks that settled, from the keys of what settled. */
const finishedTasks = (settled: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(settled.flatMap((key) => /^round-\d+\/task\/(.+)$/.exec(key)?.[1] ?? []))

const isSuccess = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "success" in value && value.success === true

const ofIntent = ({ files }: CallIntent): ReadonlyArray<FileTouch> =>
  files.length === 0 ? [{ _tag: "Unsure" }] : files.map(({ path }) => ({ _tag: "Unsure", path }))

/**
 * All sightings, the first one first. A write counts once its outcome says that it happened. `settled` are the keys of all
 * that settled.
 */
export const fileTouches = (
  records: ReadonlyArray<JournalRecord>,
  settled: ReadonlyArray<string>
): ReadonlyArray<FileTouch> => {
  const finished = finishedTasks(settled)
  const intents = new Map<string, CallIntent>()
  return records.flatMap((record): ReadonlyArray<FileTouch> => {
    switch (record.type) {
      case "intent":
        intents.set(record.key, record)
        return ofIntent(record)
      case "outcome": {
        const intent = intents.get(record.key)
        if (intent === undefined || !isSuccess(record.value)) return []
        return intent.files.map(({ after, path }) => ({ _tag: "Written", task: intent.task, path, hash: after }))
      }
      case "event": {
        const { event } = record
        if (event.type !== "references.read" || !finished.has(slugOf(event.task))) return []
        return event.references.map(({ hash, href }) => ({ _tag: "Shown", task: event.task, href, hash }))
      }
      default:
        return []
    }
  })
}
