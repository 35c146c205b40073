/**
 * An entry of the project that is handled without reading it as text: a picture, a link, a folder.
 */
import * as Schema from "effect/Schema"

export const FileEntry = Schema.Struct({
  /** The absolute path. Its folders are resolved; a link in its last component is not. */
  path: Schema.String,
  is: Schema.Literals(["file", "link", "folder", "other"]),
  /** Identifies the content: an entry with other content has another state. */
  state: Schema.String,
  /** In bytes. */
  size: Schema.Int,
  /** The target of a link, as written in it. */
  leads: Schema.optionalKey(Schema.String),
  /** False when its bytes are not displayable text. */
  isText: Schema.Boolean
})
export type FileEntry = typeof FileEntry.Type

/** In bytes. `undo` keeps no content of larger files. */
export const mostKept = 16_777_216

/** One change moves or removes at most this many files of a folder. */
export const mostInFolder = 1000
