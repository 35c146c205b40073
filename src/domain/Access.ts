/**
 * What a call will touch, as a tool declares it and as the gate judges it. A tool declares; the host makes the value
 * canonical (real path, parsed URL), the gate decides on that value, and the tool is handed that same value.
 */
import * as Schema from "effect/Schema"

/** What a tool says it will touch; paths as the model wrote them. */
export const Access = Schema.Union([
  Schema.TaggedStruct("ReadFile", { path: Schema.String }),
  Schema.TaggedStruct("WriteFile", { path: Schema.String, content: Schema.String }),
  Schema.TaggedStruct("FetchUrl", { url: Schema.String })
])
export type Access = typeof Access.Type

/** `path` is absolute and real (the deepest existing ancestor resolved); `inside` tells whether the project holds it. */
export const CanonicalAccess = Schema.Union([
  Schema.TaggedStruct("ReadFile", { path: Schema.String, inside: Schema.Boolean }),
  Schema.TaggedStruct("WriteFile", { path: Schema.String, inside: Schema.Boolean, content: Schema.String }),
  Schema.TaggedStruct("FetchUrl", { url: Schema.String })
])
export type CanonicalAccess = typeof CanonicalAccess.Type

/** The one string that is shown and that rules are compared with. */
export const accessTarget = (access: CanonicalAccess): string => (access._tag === "FetchUrl" ? access.url : access.path)
