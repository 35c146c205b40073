/** An entry of the project that the program handles without reading it as text: a picture, a link, a folder. */
import * as Schema from "effect/Schema"

export const FileEntry = Schema.Struct({
  /** The absolute path. Links in the folders of the path are resolved; a link in the last component is not. */
  path: Schema.String,
  is: Schema.Literals(["file", "link", "folder", "other"]),
  /** A text that identifies the content: entries with different contents have different states. */
  state: Schema.String,
  /** The size in bytes. */
  size: Schema.Int,
  /** The target of a link, as the link states it. */
  leads: Schema.optionalKey(Schema.String),
  /** False if the bytes are not displayable text. */
  isText: Schema.Boolean
})
export type FileEntry = typeof FileEntry.Type

/** The size up to which `undo` keeps the content of a file, in bytes. */
export const mostKept = 16_777_216

/** The maximum number of files in a folder that one change can move or remove. */
export const mostInFolder = 1000
