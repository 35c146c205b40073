/** A change of one file that is proposed and not made. */
import * as Schema from "effect/Schema"
import { FileEntry } from "./FileEntry.ts"
import { FileKind } from "./FileKind.ts"
import { definedFields } from "../text/DefinedFields.ts"

export const ProposedFile = Schema.Struct({
  path: Schema.String,
  /** The text that the proposal starts from; `null` where there is no file, or one without a text. */
  base: Schema.NullOr(Schema.String),
  /** The proposed text; `null` for a file that is removed. */
  text: Schema.NullOr(Schema.String),
  /** What the file becomes, where that is not what it is; the text of a link is where it leads. */
  kind: Schema.optionalKey(FileKind),
  /** What the project has at the path, where that is no text: a picture, a link, an empty folder. */
  holds: Schema.optionalKey(FileEntry),
  /** The file of the project that is moved here. Its bytes are taken as they are, unless the text was changed since. */
  from: Schema.optionalKey(FileEntry),
  /** The folder that is removed as a whole, or that a whole folder is moved to, with this file in it. */
  folder: Schema.optionalKey(Schema.String)
})
export type ProposedFile = typeof ProposedFile.Type

/** True when the proposal leaves something else at its path than the project has. */
export const changesFile = ({ base, from, holds, kind, text }: ProposedFile): boolean =>
  text === null ? base !== null || holds !== undefined : text !== base || (kind ?? from ?? holds) !== undefined

/** True for a file whose bytes are moved here without a text. */
export const isOpaque = ({ from, kind, text }: ProposedFile): boolean =>
  text !== null && kind !== "link" && from?.isText === false

type Beside = { readonly [K in "folder" | "from" | "holds" | "kind"]?: ProposedFile[K] | undefined }

/** What a proposal says beside its texts. */
export const besideText = ({ folder, from, holds, kind }: Beside) =>
  definedFields({ kind, holds, from, folder }) as Pick<ProposedFile, keyof Beside>
