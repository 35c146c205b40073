/**
 * Whether a change of package.json changes what npm runs. Called by the gate for the question it asks.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { canonicalJson } from "../text/CanonicalJson.ts"

const Manifest = Schema.fromJsonString(Schema.Struct({ scripts: Schema.optionalKey(Schema.Json) }))

const scriptsOf = (text: string): string =>
  Option.match(Schema.decodeOption(Manifest)(text), {
    onNone: () => "",
    onSome: ({ scripts }) => (scripts === undefined ? "" : canonicalJson(scripts))
  })

/** True when the scripts differ; a text that is not JSON has none. */
export const scriptsChange = (before: string | undefined, after: string): boolean =>
  scriptsOf(before ?? "") !== scriptsOf(after)
