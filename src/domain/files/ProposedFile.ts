/**
 * A change of one file that is proposed and not made.
 */
import * as Schema from "effect/Schema"

export const ProposedFile = Schema.Struct({
  path: Schema.String,
  /** The text that the proposal starts from; `null` for a file that is not there. */
  base: Schema.NullOr(Schema.String),
  /** The proposed text; `null` for a file that is removed. */
  text: Schema.NullOr(Schema.String)
})
export type ProposedFile = typeof ProposedFile.Type
