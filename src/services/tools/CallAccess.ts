/**
 * Makes what a call declares to touch canonical. Called by the tool registry.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Access, type CanonicalAccess } from "../../domain/tools/Access.ts"
import { canonicalUrl } from "../../domain/web/CanonicalUrl.ts"
import { ToolFailure } from "../../domain/tools/ToolFailure.ts"
import type { Commands } from "../commands/Commands.ts"
import { canonicalEdit } from "./FileEdit.ts"
import type { LoadedTool } from "../plugins/PluginLoader.ts"
import type { Workspace } from "../files/Workspace.ts"

/** What knows the world that calls touch. */
export interface AccessWorld {
  readonly commands: Commands["Service"]
  readonly workspace: Workspace["Service"]
}

const isAccesses = Schema.is(Schema.Array(Access))

const invalid = (message: string) => new ToolFailure({ type: "validation_failed", message })

const canonicalAccess = Effect.fnUntraced(function* (access: Access, { commands, workspace }: AccessWorld) {
  switch (access._tag) {
    case "FetchUrl": {
      const url = canonicalUrl(access.url)
      if (Result.isFailure(url)) return yield* invalid(url.failure)
      return Object.freeze<CanonicalAccess>({ _tag: "FetchUrl", url: url.success })
    }
    case "EditFile":
      return Object.freeze(yield* canonicalEdit(access, workspace))
    case "WriteFile":
      if (!access.content.isWellFormed()) return yield* invalid("The content holds half a character.")
      return Object.freeze<CanonicalAccess>({ ...access, ...(yield* workspace.canonical(access.path)) })
    case "RunCommand":
      return Object.freeze(yield* commands.canonical(access))
    case "ReadFile":
      return Object.freeze<CanonicalAccess>({ ...access, ...(yield* workspace.canonical(access.path)) })
  }
})

/** The canonical form of every access, in the order in which the tool declares them. */
export const canonicalAccesses = Effect.fnUntraced(function* (
  { info, tool }: LoadedTool,
  params: unknown,
  world: AccessWorld
) {
  const declared: unknown = tool.access?.(params) ?? []
  if (!isAccesses(declared)) {
    const message = `The tool ${info.name} does not say properly what it touches. This is a fault of the tool.`
    return yield* new ToolFailure({ type: "internal_error", message })
  }
  return Object.freeze(yield* Effect.forEach(declared, (access) => canonicalAccess(access, world)))
})
