/**
 * Reads from a journal which task read or wrote which text of a file, and from when on the content of a file is
 * unknown, in order.
 */
import * as Schema from "effect/Schema"
import type { CallIntent, JournalRecord } from "./JournalRecord.ts"
import { parseKey } from "../runs/ActivityKey.ts"
import { slugOf } from "../text/Slug.ts"

/**
 * Hashes are SHA-256 of texts in hex. `Shown` exists for finished tasks only, since other tasks read the file again.
 */
export type FileTouch =
  | { readonly _tag: "Shown"; readonly task: string; readonly href: string; readonly hash: string }
  | { readonly _tag: "Written"; readonly task: string; readonly path: string; readonly hash: string }
  /** A call may have changed the file, or any file if `path` is absent. */
  | { readonly _tag: "Unsure"; readonly path?: string }

const isSuccess = Schema.is(Schema.Struct({ success: Schema.Literal(true) }))

const ofIntent = ({ files }: CallIntent): ReadonlyArray<FileTouch> =>
  files.length === 0 ? [{ _tag: "Unsure" }] : files.map(({ path }) => ({ _tag: "Unsure", path }))

/** All touches, in order. A write counts once its outcome confirms it. */
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
          /** The target of a link is no text of the run. */
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
