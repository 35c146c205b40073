/**
 * A proposed change of one file.
 */
import * as Schema from "effect/Schema"
import { FileEntry } from "./FileEntry.ts"
import { FileKind } from "./FileKind.ts"
import { definedFields } from "../text/DefinedFields.ts"

export const ProposedFile = Schema.Struct({
  path: Schema.String,
  /** The text before the proposal; `null` if no text file was at the path. */
  base: Schema.NullOr(Schema.String),
  /** The proposed text; `null` for a removed file. */
  text: Schema.NullOr(Schema.String),
  /** The new kind of the file, if it changes. The text of a link is its target. */
  kind: Schema.optionalKey(FileKind),
  /** What the project has at the path, if that is not a text: a picture, a link, an empty folder. */
  holds: Schema.optionalKey(FileEntry),
  /** The project file that moves to this path. Its bytes are copied, unless the proposal also changes its text. */
  from: Schema.optionalKey(FileEntry),
  /** The folder around the file, if this folder is removed or moved as a whole. */
  folder: Schema.optionalKey(Schema.String)
})
export type ProposedFile = typeof ProposedFile.Type

/** True when the proposal differs from the project. */
export const changesFile = ({ base, from, holds, kind, text }: ProposedFile): boolean =>
  text === null ? base !== null || holds !== undefined : text !== base || (kind ?? from ?? holds) !== undefined

/** True for a moved file that is not text. */
export const isOpaque = ({ from, kind, text }: ProposedFile): boolean =>
  text !== null && kind !== "link" && from?.isText === false

type Beside = { readonly [K in "folder" | "from" | "holds" | "kind"]?: ProposedFile[K] | undefined }

/** The fields of a proposal besides its path and texts. */
export const besideText = ({ folder, from, holds, kind }: Beside) =>
  definedFields({ kind, holds, from, folder }) as Pick<ProposedFile, keyof Beside>
