/** What is at a path of the project, where it is handled without being read as text: a picture, a link, a folder. */
import * as Schema from "effect/Schema"

export const FileEntry = Schema.Struct({
  /** Where it lies: absolute, with every folder resolved, and the last name as it is. */
  path: Schema.String,
  is: Schema.Literals(["file", "link", "folder", "other"]),
  /** What identifies its content; another content has another state. */
  state: Schema.String,
  /** In bytes. */
  size: Schema.Int,
  /** Where a link leads, as it is written there. */
  leads: Schema.optionalKey(Schema.String),
  /** False when its bytes are no text that can be shown. */
  isText: Schema.Boolean
})
export type FileEntry = typeof FileEntry.Type

/** Of a larger file nothing is kept to undo its change, in bytes. */
export const mostKept = 16_777_216

/** So many files of a folder are moved or removed by one change. */
export const mostInFolder = 1000
