/**
 * Reads from a journal which task read or wrote which text of a file, and when the content of the file is no longer
 * known.
 */
import * as Schema from "effect/Schema"
import type { CallIntent, JournalRecord } from "./JournalRecord.ts"
import { parseKey } from "../runs/ActivityKey.ts"
import { slugOf } from "../text/Slug.ts"

/**
 * A task read or wrote a file. `hash` is the SHA-256 of the text in hex. `Shown` exists only for finished tasks,
 * because an unfinished task reads the file again.
 */
export type FileTouch =
  | { readonly _tag: "Shown"; readonly task: string; readonly href: string; readonly hash: string }
  | { readonly _tag: "Written"; readonly task: string; readonly path: string; readonly hash: string }
  /** A call may have changed this file or, without `path`, any file. */
  | { readonly _tag: "Unsure"; readonly path?: string }

const isSuccess = Schema.is(Schema.Struct({ success: Schema.Literal(true) }))

const ofIntent = ({ files }: CallIntent): ReadonlyArray<FileTouch> =>
  files.length === 0 ? [{ _tag: "Unsure" }] : files.map(({ path }) => ({ _tag: "Unsure", path }))

/** What the records say about files, in order. A write counts only if its call succeeded. */
export const fileTouches = (records: ReadonlyArray<JournalRecord>): ReadonlyArray<FileTouch> => {
  const settled = records.flatMap((record) => (record.type === "settled" ? (parseKey(record.key) ?? []) : []))
  const finished = new Set(settled.flatMap(({ kind, task }) => (kind === "task" ? (task ?? []) : [])))
  const intents = new Map<string, CallIntent>()
  return records.flatMap((record): ReadonlyArray<FileTouch> => {
    switch (record.type) {
      case "intent":
        intents.set(record.key, record)
        return ofIntent(record)
      case "outcome": {
        const intent = intents.get(record.key)
        if (intent === undefined || !isSuccess(record.value)) return []
        return intent.files.map(({ after, kind, path }) =>
          /** The text of a link is its target, which is not the text of a file. */
          after === null || kind === "link"
            ? { _tag: "Unsure", path }
            : { _tag: "Written", task: intent.task, path, hash: after }
        )
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
