/**
 * The canonical form of what a call declares to access.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Access, type CanonicalAccess } from "../../domain/tools/Access.ts"
import { canonicalUrl } from "../../domain/web/CanonicalUrl.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { Commands } from "../commands/Commands.ts"
import type { LoadedTool } from "../plugins/PluginLoader.ts"
import type { Workspace } from "../files/Workspace.ts"
import { isControlPath, isSecretLike } from "../../domain/files/SensitivePath.ts"
import { editText } from "../../domain/files/TextEdit.ts"
import { hashOf } from "../files/Hash.ts"

/** What accesses are made canonical with. */
export interface AccessWorld {
  readonly commands: Commands["Service"]
  readonly workspace: Workspace["Service"]
}

const isAccesses = Schema.is(Schema.Array(Access))

const invalid = (message: string) => new ToolFailure({ type: "validation_failed", message })

const maxEditBytes = 10_485_760

const relativeTo = (root: string, path: string): string => path.slice(root.length).replace(/^[\\/]/, "")

/** Where a write goes, and whether git would run or follow what is there. */
const canonicalTarget = Effect.fnUntraced(function* (written: string, { commands, workspace }: AccessWorld) {
  const target = yield* workspace.canonical(written)
  const isControl = target.inside && (yield* commands.isControl(target.path))
  return { ...target, control: isControl ? { control: true } : undefined }
})

/**
 * The write that the edits amount to, bound to the text they were computed from, so that the gate decides about the new
 * content. A protected file is not even read, since the gate denies the write whatever it holds. Fails with
 * `validation_failed` when an edit does not fit.
 */
const canonicalEdit = Effect.fnUntraced(function* (
  { edits, path: written }: Access & { readonly _tag: "EditFile" },
  world: AccessWorld
) {
  const { workspace } = world
  const { control, inside, path } = yield* canonicalTarget(written, world)
  const relative = relativeTo(workspace.root, path)
  const unread: CanonicalAccess = { _tag: "WriteFile", path, inside, content: "", ...control }
  if (!inside || control !== undefined || isControlPath(relative)) return unread
  const text = yield* Effect.mapError(workspace.readText(path, maxEditBytes), ({ message, type }) => {
    const hint = type === "not_found" ? " Only a file that exists can be edited; write_file creates one." : ""
    return new ToolFailure({ type, message: `${message}${hint}` })
  })
  const content = yield* Effect.mapError(
    Effect.fromResult(editText({ path: relative, text, mayQuote: !isSecretLike(path) }, edits)),
    (message) => new ToolFailure({ type: "validation_failed", message: `Nothing was changed. ${message}` })
  )
  const found = yield* workspace.state(path)
  const write: CanonicalAccess = { _tag: "WriteFile", path, inside, content, base: hashOf(text), found }
  return write
})

/** The write with what it would replace, so that nothing else is replaced. A protected file is not looked at. */
const canonicalWrite = Effect.fnUntraced(function* (
  { content, path: written }: Access & { readonly _tag: "WriteFile" },
  world: AccessWorld
) {
  const { workspace } = world
  const { control, inside, path } = yield* canonicalTarget(written, world)
  const write: CanonicalAccess = { _tag: "WriteFile", path, inside, content, ...control }
  if (!inside || control !== undefined || isControlPath(relativeTo(workspace.root, path))) return write
  return { ...write, found: yield* workspace.state(path) }
})

const canonicalAccess = Effect.fnUntraced(function* (access: Access, world: AccessWorld) {
  const { commands, workspace } = world
  switch (access._tag) {
    case "FetchUrl": {
      const url = canonicalUrl(access.url)
      if (Result.isFailure(url)) return yield* invalid(url.failure)
      return Object.freeze<CanonicalAccess>({ _tag: "FetchUrl", url: url.success })
    }
    case "EditFile":
      return Object.freeze(yield* canonicalEdit(access, world))
    case "WriteFile": {
      if (!access.content.isWellFormed()) return yield* invalid("The content holds half a character.")
      return Object.freeze<CanonicalAccess>(yield* canonicalWrite(access, world))
    }
    case "RunCommand":
      return Object.freeze(yield* commands.canonical(access))
    case "ReadFile":
      return Object.freeze<CanonicalAccess>({ ...access, ...(yield* workspace.canonical(access.path)) })
  }
})

const noAccesses: ReadonlyArray<CanonicalAccess> = Object.freeze([])

/** The canonical form of every access, in the order in which the tool declares them. */
export const canonicalAccesses = Effect.fnUntraced(function* (
  { info, tool }: LoadedTool,
  params: unknown,
  world: AccessWorld
) {
  const declared: unknown = tool.access?.(params) ?? []
  if (Array.isArray(declared) && declared.length === 0) return noAccesses
  if (!isAccesses(declared)) {
    const message = `The tool ${info.name} declares what it accesses in an invalid form. This is a fault of the tool.`
    return yield* new ToolFailure({ type: "internal_error", message })
  }
  return Object.freeze(yield* Effect.forEach(declared, (access) => canonicalAccess(access, world)))
})
