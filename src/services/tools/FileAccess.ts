/**
 * Makes declared file accesses canonical: finds real paths, new content, and the current state. An edit follows a link
 * to the file behind it. A removal or a move is about the link itself.
 */
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type FileEntry, mostInFolder } from "../../domain/files/FileEntry.ts"
import { lossSentence } from "../../domain/files/NewText.ts"
import { nearestHint, nearestPaths } from "../../domain/files/PathList.ts"
import { isControlPath, isSecretLike } from "../../domain/files/SensitivePath.ts"
import { editText } from "../../domain/files/TextEdit.ts"
import {
  type Access,
  type CanonicalAccess,
  canonicalHost,
  canonicalOther,
  canonicalUrl,
  type WriteAccess,
  writesIn
} from "../../domain/tools/Access.ts"
import { fileTools, pathOf, type ToolCall, ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { Commands } from "../commands/Commands.ts"
import { hashOf, linkState } from "../files/Hash.ts"
import { CurrentCopy } from "../files/WorkingCopy.ts"
import { SkillFiles } from "../files/SkillFiles.ts"
import type { Workspace } from "../files/Workspace.ts"

const invalid = (message: string) => new ToolFailure({ type: "validation_failed", message })

export interface AccessContext {
  readonly commands: Commands["Service"]
  readonly workspace: Workspace["Service"]
}

const maxEditBytes = 10_485_760

/**
 * The path of an entry, with the links in its folder resolved. If the entry itself is a link, the link is not followed.
 */
const namedPlace = Effect.fnUntraced(function* (written: string, workspace: Workspace["Service"]) {
  if (written === "" || written.includes("\0")) return yield* workspace.canonical(written)
  const absolute = resolve(workspace.root, written)
  const folder = yield* workspace.canonical(dirname(absolute))
  const path = join(folder.path, basename(absolute))
  return { path, inside: folder.inside && path !== workspace.root }
})

/** The path of the entry that a model means. The model may have copied the path from markdown. */
const meantPlace = Effect.fnUntraced(function* (written: string, workspace: Workspace["Service"]) {
  const place = yield* namedPlace(written, workspace)
  const isThere = Effect.map(workspace.entry(place.path), (entry) => entry !== undefined)
  return (yield* Effect.orElseSucceed(isThere, () => true))
    ? place
    : yield* namedPlace(yield* workspace.meant(written), workspace)
})

const writeTo = (path: string, inside: boolean, control: boolean): WriteAccess => ({
  _tag: "WriteFile",
  path,
  inside,
  content: "",
  ...(control ? { control } : {})
})

/**
 * A path that a call changes, and whether git would run or follow a file there. Protected paths are not examined: the
 * gate denies every write to them.
 */
const targetAt = Effect.fnUntraced(function* (
  { inside, path }: { readonly path: string; readonly inside: boolean },
  { commands, workspace }: AccessContext
) {
  const control = inside && (yield* commands.controlsAmong([path])).has(path)
  const name = relative(workspace.root, path)
  const mayLook = inside && !control && !isControlPath(name)
  return { mayLook, name, write: writeTo(path, inside, control) }
})

/** The target of a text write, behind any links. */
const canonicalTarget = Effect.fnUntraced(function* (written: string, context: AccessContext) {
  const { workspace } = context
  return yield* targetAt(yield* workspace.canonical(yield* workspace.meant(written)), context)
})

/**
 * The project files whose content a call of a file tool may reveal or copy. Removing a link or a folder reveals
 * nothing.
 */
export const revealedFiles = Effect.fnUntraced(function* (
  call: ToolCall,
  accesses: ReadonlyArray<CanonicalAccess>,
  workspace: Workspace["Service"]
) {
  if (!fileTools.has(call.name)) return []
  const moved = writesIn(accesses).flatMap(({ from }) => (from?.is === "file" ? [from.path] : []))
  if (moved.length > 0) return moved
  const isNamed = call.name === "remove_file" || call.name === "move_file"
  const place = isNamed
    ? meantPlace(pathOf(call), workspace)
    : Effect.flatMap(workspace.meant(pathOf(call)), workspace.canonical)
  const file = Option.getOrUndefined(yield* Effect.option(place))
  const entry =
    file?.inside === true ? yield* Effect.orElseSucceed(workspace.entry(file.path), () => undefined) : undefined
  return file !== undefined && entry?.is === "file" ? [file.path] : []
})

/** Says why a file cannot be edited, with suggestions of other paths. */
const explainMissing = Effect.fnUntraced(function* (
  name: string,
  { message, type }: ToolFailure,
  workspace: Workspace["Service"]
) {
  const near = nearestPaths(name, yield* Effect.orElseSucceed(workspace.tree, () => []))
  const hint = `${nearestHint(near)} Only a file that exists can be edited; write_file creates one.`
  return yield* new ToolFailure({ type, message: `${message}${hint}` })
})

/**
 * The write that results from the edits, with the new content for the gate. The write is valid only for the text that
 * was edited. Fails with `validation_failed` if an edit does not fit.
 */
const canonicalEdit = Effect.fnUntraced(function* (
  { edits, path: written }: Access & { readonly _tag: "EditFile" },
  context: AccessContext
) {
  const { workspace } = context
  const { mayLook, name, write } = yield* canonicalTarget(written, context)
  if (!mayLook) return write
  const { path } = write
  const text = yield* Effect.catch(workspace.readText(path, maxEditBytes), (failure) =>
    failure.type === "not_found" ? explainMissing(name, failure, workspace) : failure
  )
  const content = yield* Effect.mapError(
    Effect.fromResult(editText({ path: name, text, mayQuote: !isSecretLike(path) }, edits)),
    (message) => invalid(`Nothing was changed. ${message}`)
  )
  const loses = lossSentence({ path, oldText: text, newText: content }, false)
  const found = yield* workspace.state(path)
  return { ...write, content, base: hashOf(text), found, ...(loses === undefined ? {} : { loses }) }
})

/** Checks that a new link stays within the project and that its path is free. */
const canonicalLink = Effect.fnUntraced(function* (write: WriteAccess, { workspace }: AccessContext) {
  const { content, path } = write
  const { inside } = yield* workspace.canonical(resolve(dirname(path), content))
  if (!inside || isAbsolute(content)) return yield* invalid(`The link would lead out of the project, to ${content}.`)
  const found = yield* workspace.state(path)
  if (found === "absent" || found === linkState(content)) return { ...write, found }
  return yield* invalid(`There is something at ${path}, and a link takes the place of nothing.`)
})

/** The write of a whole text. The write is valid only for the current state of the file. */
const canonicalWrite = Effect.fnUntraced(function* (
  { content, kind, path: written }: Access & { readonly _tag: "WriteFile" },
  context: AccessContext
) {
  /**
   * A link is created at exactly the given path. If the path leads through a link, a text is written to the target of
   * that link.
   */
  const target =
    kind === "link"
      ? yield* targetAt(yield* namedPlace(written, context.workspace), context)
      : yield* canonicalTarget(written, context)
  const { mayLook } = target
  const write = kind === undefined ? target.write : { ...target.write, kind }
  if (!mayLook) return { ...write, content }
  if (kind === "link") return yield* canonicalLink({ ...write, content }, context)
  const { workspace } = context
  const text = yield* Effect.orElseSucceed(workspace.readText(write.path, maxEditBytes), () => "")
  const loses = lossSentence({ path: write.path, oldText: text, newText: content }, true)
  const stateBefore = yield* workspace.state(write.path)
  const holds = yield* workspace.entry(write.path)
  if (holds?.is === "folder" || holds?.is === "other") {
    const what = holds.is === "folder" ? "a folder" : "no regular file"
    return yield* new ToolFailure({
      type: "io_error",
      message: `${target.name} is ${what}, so no file was written there.`
    })
  }
  return {
    ...write,
    content,
    found: stateBefore,
    ...(holds === undefined ? {} : { holds }),
    ...(loses === undefined ? {} : { loses })
  }
})

/** The failure for a missing file, with suggestions. */
const missing = Effect.fnUntraced(function* (name: string, workspace: Workspace["Service"]) {
  const near = nearestPaths(name, yield* Effect.orElseSucceed(workspace.tree, () => []))
  return new ToolFailure({ type: "not_found", message: `There is no file at ${name}.${nearestHint(near)}` })
})

/** The files in a folder that is removed or moved as a whole. */
const filesOf = Effect.fnUntraced(function* (folder: string, name: string, { workspace }: AccessContext) {
  /**
   * The listing also counts files that this task has already removed, although the result omits them. So the limit is
   * raised by the number of files that the task has changed.
   */
  const entries = mostInFolder + ((yield* CurrentCopy)?.files().length ?? 0)
  const below = relative(workspace.root, folder)
  const { files, isWhole } = yield* workspace.treeWithin({ entries, below, everything: true })
  if (isWhole && files.length <= mostInFolder) return files.map((file) => join(workspace.root, file))
  const message = `The folder ${name} holds more than ${mostInFolder} files, the most that one change may remove or move. Name a folder in it.`
  return yield* invalid(message)
})

/**
 * The removal of one file, link or empty folder. If it is removed or moved with a whole folder, `folder` names this
 * folder.
 */
const removalOf = (entry: FileEntry, controls: ReadonlySet<string>, folder?: string): WriteAccess => ({
  ...writeTo(entry.path, true, controls.has(entry.path)),
  removes: true,
  found: entry.state,
  holds: entry,
  ...(folder === undefined ? {} : { folder })
})

const entriesOf = (files: ReadonlyArray<string>, { workspace }: AccessContext) =>
  Effect.map(Effect.forEach(files, workspace.entry), (found) => found.filter((entry) => entry !== undefined))

/** The removal of a file, a link, or a folder with its content. The target of a link stays. */
const canonicalRemoval = Effect.fnUntraced(function* (
  written: string,
  context: AccessContext
): Effect.fn.Return<ReadonlyArray<WriteAccess>, ToolFailure> {
  const { workspace } = context
  const { mayLook, name, write } = yield* targetAt(yield* meantPlace(written, workspace), context)
  const { path } = write
  if (!mayLook) return [{ ...write, removes: true }]
  const entry = yield* workspace.entry(path)
  if (entry === undefined) {
    /** Removing a file twice succeeds. */
    const proposed = (yield* CurrentCopy)?.files() ?? []
    if (proposed.some((file) => file.path === path)) return [{ ...write, removes: true, found: "absent" }]
    const isEmptied = proposed.some((file) => file.path.startsWith(`${path}/`))
    return isEmptied
      ? [{ ...write, removes: true, found: "absent", folder: path }]
      : yield* yield* missing(name, workspace)
  }
  if (entry.is !== "folder") return [removalOf(entry, new Set())]
  const files = yield* filesOf(path, name, context)
  const controls = yield* context.commands.controlsAmong(files)
  const entries = files.length === 0 ? [entry] : yield* entriesOf(files, context)
  return entries.map((one) => removalOf(one, controls, path))
})

interface MovedFolder {
  readonly from: string
  readonly to: string
}

/** A move: a write of the file's bytes at another path, and the removal of the file. */
const moveOf = Effect.fnUntraced(function* (
  entry: FileEntry,
  to: string,
  { workspace }: AccessContext,
  { controls, folders }: { readonly controls: ReadonlySet<string>; readonly folders?: MovedFolder }
): Effect.fn.Return<ReadonlyArray<WriteAccess>, ToolFailure> {
  const removal = removalOf(entry, controls, folders?.from)
  if (entry.is !== "file" && entry.is !== "link") return [removal]
  const readable =
    entry.is === "file" ? yield* Effect.option(workspace.readText(entry.path, maxEditBytes)) : Option.none()
  const write: WriteAccess = {
    ...writeTo(to, true, controls.has(to)),
    content: entry.leads ?? Option.getOrElse(readable, () => ""),
    found: yield* workspace.state(to),
    from: { ...entry, isText: Option.isSome(readable) },
    ...(entry.is === "link" ? { kind: "link" } : {}),
    ...(folders === undefined ? {} : { folder: folders.to })
  }
  return [write, removal]
})

/**
 * The place to which a call moves `source`. If `to` is a folder, `source` goes into it. Otherwise, `to` is the new path
 * itself.
 */
const moveTarget = Effect.fnUntraced(function* (to: string, source: FileEntry, context: AccessContext) {
  const { workspace } = context
  const place = yield* namedPlace(to, workspace)
  const there = place.inside ? yield* workspace.entry(place.path) : undefined
  const isInto = /[\\/]$/.test(to) || (there?.is === "folder" && source.is !== "folder")
  return isInto ? yield* namedPlace(join(to, basename(source.path)), workspace) : place
})

/** The move of a file, a link, or a folder with its content, to a free path. The target of a moved link stays. */
const canonicalMove = Effect.fnUntraced(function* (
  { path: written, to }: Access & { readonly _tag: "MoveFile" },
  context: AccessContext
): Effect.fn.Return<ReadonlyArray<WriteAccess>, ToolFailure> {
  const { workspace } = context
  const source = yield* targetAt(yield* meantPlace(written, workspace), context)
  if (!source.mayLook) return [{ ...source.write, removes: true }]
  const entry = yield* workspace.entry(source.write.path)
  if (entry === undefined) return yield* yield* missing(source.name, workspace)
  if (entry.is === "other")
    return yield* invalid(`${source.name} is no file, no link and no folder, so it was not moved.`)
  const target = yield* targetAt(yield* moveTarget(to, entry, context), context)
  if (!target.mayLook) return [target.write]
  const { path } = target.write
  if (path === entry.path || path.startsWith(`${entry.path}/`)) {
    return yield* invalid(`${source.name} cannot be moved to ${target.name}, which is the same place or lies in it.`)
  }
  const there = yield* workspace.entry(path)
  /** After an interrupted move, both paths may have the same content. The move can then be repeated. */
  if (there !== undefined && (there.is !== "file" || there.state !== entry.state)) {
    const what = `There is ${there.is === "folder" ? "a folder" : "a file"} ${target.name} already, so ${source.name} was not moved.`
    return yield* invalid(`${what} Choose another path, or remove that one first.`)
  }
  if (entry.is !== "folder") return yield* moveOf(entry, path, context, { controls: new Set() })
  const files = yield* filesOf(entry.path, source.name, context)
  if (files.length === 0) return yield* invalid(`The folder ${source.name} is empty, so there is nothing to move.`)
  const folders = { from: entry.path, to: path }
  const placeOf = (file: string): string => join(path, relative(entry.path, file))
  const controls = yield* context.commands.controlsAmong([...files, ...files.map(placeOf)])
  const entries = yield* entriesOf(files, context)
  const moved = yield* Effect.forEach(entries, (one) => moveOf(one, placeOf(one.path), context, { controls, folders }))
  return moved.flat()
})

/** The canonical form of an access. A whole folder becomes one access for each file. */
export const canonicalAccess = Effect.fnUntraced(function* (
  access: Access,
  context: AccessContext
): Effect.fn.Return<CanonicalAccess | ReadonlyArray<CanonicalAccess>, ToolFailure> {
  const { commands, workspace } = context
  switch (access._tag) {
    case "FetchUrl": {
      const url = canonicalUrl(access.url)
      if (Result.isFailure(url)) return yield* invalid(url.failure)
      return { _tag: "FetchUrl" as const, url: url.success }
    }
    case "Host": {
      const host = canonicalHost(access.host)
      return Result.isFailure(host) ? yield* invalid(host.failure) : { ...access, host: host.success }
    }
    case "Other": {
      const other = canonicalOther(access)
      return Result.isFailure(other) ? yield* invalid(other.failure) : other.success
    }
    case "EditFile":
      return yield* canonicalEdit(access, context)
    case "WriteFile":
      if (!access.content.isWellFormed()) return yield* invalid("The content holds half a character.")
      return yield* canonicalWrite(access, context)
    case "RemoveFile":
      return yield* canonicalRemoval(access.path, context)
    case "MoveFile":
      return yield* canonicalMove(access, context)
    case "RunCommand":
      return yield* commands.canonical(access)
    case "ReadFile": {
      const file = yield* workspace.canonical(yield* workspace.meant(access.path))
      const isOfSkill = !file.inside && (yield* SkillFiles).has(file.path)
      return { ...access, ...file, ...(isOfSkill ? { ofSkill: true } : {}) }
    }
  }
})
