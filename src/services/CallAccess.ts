/**
 * Makes what a call declares to touch canonical. Called by the tool registry.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Access, type CanonicalAccess } from "../domain/Access.ts"
import { canonicalUrl } from "../domain/CanonicalUrl.ts"
import { ToolFailure } from "../domain/ToolFailure.ts"
import type { LoadedTool } from "./PluginLoader.ts"
import type { Workspace } from "./Workspace.ts"

const isAccesses = Schema.is(Schema.Array(Access))

const canonicalAccess = Effect.fnUntraced(function* (access: Access, workspace: Workspace["Service"]) {
  if (access._tag !== "FetchUrl") {
    return Object.freeze<CanonicalAccess>({ ...access, ...(yield* workspace.canonical(access.path)) })
  }
  const url = canonicalUrl(access.url)
  if (Result.isSuccess(url)) return Object.freeze<CanonicalAccess>({ _tag: "FetchUrl", url: url.success })
  return yield* new ToolFailure({ type: "validation_failed", message: url.failure })
})

/** The canonical form of every access, in the order in which the tool declares them. */
export const canonicalAccesses = Effect.fnUntraced(function* (
  { info, tool }: LoadedTool,
  params: unknown,
  workspace: Workspace["Service"]
) {
  const declared: unknown = tool.access?.(params) ?? []
  if (!isAccesses(declared)) {
    const message = `The tool ${info.name} does not say properly what it touches. This is a fault of the tool.`
    return yield* new ToolFailure({ type: "internal_error", message })
  }
  return Object.freeze(yield* Effect.forEach(declared, (access) => canonicalAccess(access, workspace)))
})
