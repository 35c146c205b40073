/** An entry of the project that is handled without reading it as text: a picture, a link, a folder. */
import * as Schema from "effect/Schema"

export const FileEntry = Schema.Struct({
  /** The absolute path. None of its folders is a link, but its last component may be a link. */
  path: Schema.String,
  is: Schema.Literals(["file", "link", "folder", "other"]),
  /** Identifies the content: different contents have different states. */
  state: Schema.String,
  /** The size in bytes. */
  size: Schema.Int,
  /** The target of a link, as the link states it. */
  leads: Schema.optionalKey(Schema.String),
  /** False if the bytes are not displayable text. */
  isText: Schema.Boolean
})
export type FileEntry = typeof FileEntry.Type

/** `undo` keeps the content of files up to this size, in bytes. */
export const mostKept = 16_777_216

/** One change can move or remove a folder of at most this many files. */
export const mostInFolder = 1000
