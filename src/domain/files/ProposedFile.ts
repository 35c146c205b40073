/**
 * A change of one file that is proposed and not made.
 */
import * as Schema from "effect/Schema"
import { FileKind } from "./FileKind.ts"

export const ProposedFile = Schema.Struct({
  path: Schema.String,
  /** The text that the proposal starts from; `null` for a file that is not there. */
  base: Schema.NullOr(Schema.String),
  /** The proposed text; `null` for a file that is removed. */
  text: Schema.NullOr(Schema.String),
  /** What the file becomes, where that is not what it is; the text of a link is where it leads. */
  kind: Schema.optionalKey(FileKind)
})
export type ProposedFile = typeof ProposedFile.Type
