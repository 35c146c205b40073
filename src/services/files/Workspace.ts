/** The project folder: canonical paths, limited reads, atomic writes, and the list of files. */
import * as Effect from "effect/Effect"
import * as path from "node:path"
import type { FileEntry } from "../../domain/files/FileEntry.ts"
import { besideText, isOpaque, type ProposedFile } from "../../domain/files/ProposedFile.ts"
import { canonicalPath, isWithin } from "./CanonicalPath.ts"
import { filesBelow, lookAt } from "./EntryLook.ts"
import { meantPath } from "./MeantPath.ts"
import { linesOfText, readDecodedFile, readFileBytes, readTextFile, readTextLines, tooLarge } from "./TextFile.ts"
import { CurrentCopy, type WorkingCopy } from "./WorkingCopy.ts"
import * as Context from "effect/Context"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type WriteAccess, writtenText } from "../../domain/tools/Access.ts"
import { compareCodePoints } from "../../domain/text/CodePointOrder.ts"
import type { LineRange } from "../../domain/text/LineRange.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { encodeLike } from "../../domain/text/EncodeLike.ts"
import { decodeFile, type TextEncoding } from "../../domain/text/TextEncoding.ts"
import { cannotEncode, changeFile } from "./AtomicWrite.ts"
import { fileFailure } from "./FileFailure.ts"
import { contentState, linkState, textHash } from "./Hash.ts"
import { listTree, listTreeWithin, maxTreeEntries, type TreeBounds, type TreeListing } from "./FileTree.ts"

/** The maximum size of compared files, in bytes. */
const maxComparedBytes = 64 * 1024 * 1024

/** Says that the folder cannot be used as a project. `path` is absolute. */
export class WorkspaceError extends Schema.TaggedError<WorkspaceError>()("WorkspaceError", {
  path: Schema.String,
  reason: Schema.Literals(["missing", "not_a_folder", "unreadable"])
}) {
  override get message(): string {
    const messages = {
      missing: `There is no folder at ${this.path}. Give the project folder with --project, or create it first.`,
      not_a_folder: `${this.path} is not a folder. Give the folder that holds the project with --project.`,
      unreadable: `The folder ${this.path} cannot be read. Change its permissions, or give another one with --project.`
    }
    return messages[this.reason]
  }
}

/** The real path of a folder that can be listed. */
const openRoot = Effect.fnUntraced(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const absolute = path.resolve(root)
  const unusable = (reason: WorkspaceError["reason"]) => new WorkspaceError({ path: absolute, reason })
  const info = yield* Effect.mapError(fs.stat(absolute), (error) =>
    unusable(error.reason._tag === "NotFound" ? "missing" : "unreadable")
  )
  if (info.type !== "Directory") return yield* unusable("not_a_folder")
  const opened = Effect.andThen(fs.readDirectoryEntries(absolute), fs.realPath(absolute))
  return yield* Effect.mapError(opened, () => unusable("unreadable"))
})

/** Uses the proposal for a path in the current working copy. If there is none, uses the project. */
const proposedOr = <A, E, R>(
  path: string,
  proposal: (file: ProposedFile) => Effect.Effect<A, E>,
  project: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentCopy, (copy) => {
    const file = copy?.get(path)
    return file === undefined ? project : proposal(file)
  })

const removed = (file: string) =>
  Effect.fail(new ToolFailure({ type: "not_found", message: `${file} does not exist any more: this task removes it.` }))

const textOf = (file: ProposedFile, maxBytes: number): Effect.Effect<string, ToolFailure> => {
  if (file.text === null) return removed(file.path)
  if (file.kind === "link") {
    const message = `${file.path} is a link to ${file.text}, which this task makes. Read what it leads to.`
    return Effect.fail(new ToolFailure({ type: "io_error", message }))
  }
  if (isOpaque(file)) {
    const message = `${file.path} is not text: it has the bytes of ${file.from?.path}, which this task moves.`
    return Effect.fail(new ToolFailure({ type: "parse_error", message }))
  }
  return Buffer.byteLength(file.text) > maxBytes
    ? Effect.fail(tooLarge(file.path, maxBytes))
    : Effect.succeed(file.text)
}

const textIn = (bytes: Uint8Array | undefined): string | null =>
  (bytes === undefined ? undefined : Result.getOrUndefined(decodeFile(bytes))?.text) ?? null

const bytesAt = (path: string) =>
  Effect.map(Effect.option(readFileBytes(path, maxComparedBytes)), Option.getOrUndefined)

/**
 * What the project has at the path of a write: a text, or something else. Fails if the encoding of the old or moved
 * file lacks a character of the new text.
 */
const heldAt = Effect.fnUntraced(function* (access: WriteAccess, moved: FileEntry | undefined) {
  const { from, kind, path: file } = access
  const bytes = yield* bytesAt(file)
  const text = writtenText(access)
  if (text !== null && kind !== "link" && from === undefined) {
    const like = moved === undefined ? bytes : yield* bytesAt(moved.path)
    yield* Effect.mapError(Effect.fromResult(encodeLike(like, text)), (why) => cannotEncode(file, why))
  }
  const base = textIn(bytes)
  const holds = base === null ? yield* Effect.orElseSucceed(lookAt(file), () => undefined) : undefined
  return { base, holds }
})

/**
 * The encoding of a project file. A proposed text for this file is written in the same encoding. Undefined if the file
 * cannot be read.
 */
const encodingOf = (file: string) =>
  Effect.flatMap(CurrentCopy, (copy) =>
    Effect.match(readDecodedFile(copy?.get(file)?.from?.path ?? file, maxComparedBytes), {
      onFailure: () => undefined,
      onSuccess: ({ encoding }) => encoding
    })
  )

/**
 * The properties of a write besides its text. They describe the change of the project file, even if the task has
 * already moved or changed this file in the working copy.
 */
const movedIn = Effect.fnUntraced(function* (copy: WorkingCopy, access: WriteAccess) {
  const source = access.from === undefined ? undefined : copy.get(access.from.path)
  if (source === undefined || source.text === null) return besideText(access)
  const original = source.base === null ? undefined : yield* Effect.orElseSucceed(lookAt(source.path), () => undefined)
  const from = source.from ?? (original === undefined ? undefined : { ...original, isText: true })
  return besideText({ ...access, from, kind: access.kind ?? source.kind })
})

/** A text that identifies the proposed content. */
const proposedState = (file: ProposedFile): string => {
  const { from, kind, text } = file
  if (text === null) return "absent"
  if (kind === "link") return linkState(text)
  return isOpaque(file) && from !== undefined ? from.state : textHash(text)
}

/** The entry of a proposal; undefined for a removal. */
const proposedEntry = (file: ProposedFile): FileEntry | undefined => {
  const { from, kind, path, text } = file
  if (text === null) return undefined
  const shared = { path, state: proposedState(file) }
  if (kind === "link") return { ...shared, is: "link", leads: text, size: 0, isText: false }
  if (isOpaque(file)) return { ...shared, is: "file", size: from?.size ?? 0, isText: false }
  return { ...shared, is: "file", size: Buffer.byteLength(text), isText: true }
}

/**
 * The entry at a path, with the changes of the current working copy. A folder is gone if the copy removes all its
 * content, and exists if the copy puts something into it.
 */
const entryWith = Effect.fnUntraced(function* (file: string) {
  yield* requireNoFileAbove(file)
  const copy = yield* CurrentCopy
  const proposed = copy?.get(file)
  if (proposed !== undefined && proposed.text !== null) return proposedEntry(proposed)
  const below = copy?.files().filter((one) => one.path !== file && isWithin(file, one.path)) ?? []
  const isMade = below.some(({ text }) => text !== null)
  if (isMade) return { path: file, is: "folder", state: "Directory", size: 0, isText: false } satisfies FileEntry
  if (proposed !== undefined) return undefined
  const entry = yield* Effect.mapError(lookAt(file), fileFailure("look at", file))
  if (entry?.is !== "folder" || below.length === 0) return entry
  const removedPaths = new Set(below.map((one) => one.path))
  const inProject = yield* filesBelow(file, below.length)
  return inProject.every((one) => removedPaths.has(one)) ? undefined : entry
})

/** The maximum number of proposed links in a path. A path with more links counts as a cycle. */
const maxLinks = 40

/**
 * The place to which a path leads with the proposed links: links that the current working copy creates are followed,
 * and links that it removes are not. Undefined if the copy does not affect the path.
 */
const proposedPlace = Effect.fnUntraced(function* (root: string, written: string) {
  const files = (yield* CurrentCopy)?.files() ?? []
  let absolute = path.resolve(root, written)
  for (let links = 0; links < maxLinks; links += 1) {
    const above = files.filter((file) => isWithin(file.path, absolute))
    const link = above.find(({ kind, text }) => text !== null && kind === "link")
    if (link === undefined) {
      const isGone = above.some(({ holds, text }) => text === null || holds?.is === "link")
      return isGone ? { path: absolute, inside: isWithin(root, absolute) } : links === 0 ? undefined : absolute
    }
    absolute = path.resolve(path.dirname(link.path), link.text ?? "", path.relative(link.path, absolute))
  }
  return yield* new ToolFailure({ type: "validation_failed", message: `The links at ${written} form a circle.` })
})

/** Fails if the current working copy has a file in place of a folder. */
const requireNoFileAbove = Effect.fnUntraced(function* (file: string) {
  const above = ((yield* CurrentCopy)?.files() ?? []).some(
    (one) => one.text !== null && one.kind !== "link" && one.path !== file && isWithin(one.path, file)
  )
  if (!above) return
  const message = `Cannot resolve ${file}. A part of the path is a file, not a folder.`
  return yield* new ToolFailure({ type: "not_found", message })
})

/** The listing of the project, with the files that the current working copy adds, without those that it removes. */
const withProposals = (root: string, listed: ReadonlyArray<string>, below = "") =>
  Effect.map(CurrentCopy, (copy): ReadonlyArray<string> => {
    const files = copy?.files() ?? []
    if (files.length === 0) return listed
    const names = new Set(listed)
    for (const file of files) {
      const name = path.relative(root, file.path).split(path.sep).join("/")
      if (below !== "" && name !== below && !name.startsWith(`${below}/`)) continue
      if (file.text === null) names.delete(name)
      else names.add(name)
    }
    return [...names].sort(compareCodePoints)
  })

/** Fails if the project is not a folder that can be listed. */
export const requireProject = (root: string) => Effect.asVoid(openRoot(root))

/** The project as files. During a task, reads include the changes of its working copy, and writes go into that copy. */
export class Workspace extends Context.Service<
  Workspace,
  {
    /** The real, absolute path of the project folder. */
    readonly root: string
    /**
     * Makes a path canonical without opening the file. Relative paths start at the root. Links are resolved as far as
     * the path exists. Fails with `validation_failed` (NUL character) or `io_error`.
     */
    canonical(path: string): Effect.Effect<{ readonly path: string; readonly inside: boolean }, ToolFailure>
    /**
     * The path that a model means (MeantPath.ts), or the path as written. For example, `/src/a.ts` means `src/a.ts` if
     * only the project has such a file.
     */
    meant(path: string): Effect.Effect<string>
    /** A text that identifies the current content at a canonical path. */
    state(path: string): Effect.Effect<string>
    /**
     * Reads a regular text file at a canonical path, at most `maxBytes`. Fails with `not_found`, `io_error` (folder,
     * pipe, no permission), `output_limit` (too large) or `parse_error` (not text).
     *
     * With a range, the limit applies only to its lines. A range that begins after the last line fails with
     * `validation_failed`. A range that ends after the last line returns the lines that exist.
     */
    readText(file: string, maxBytes: number, range?: LineRange): Effect.Effect<string, ToolFailure>
    /** The encoding of a text file. A change of the file keeps this encoding. Undefined for other files. */
    encoding(file: string): Effect.Effect<TextEncoding | undefined>
    /**
     * The entry at a canonical path; undefined if there is none. Does not follow a link. The result has no `isText`.
     * Fails with `io_error`.
     */
    entry(file: string): Effect.Effect<FileEntry | undefined, ToolFailure>
    /**
     * Replaces, creates or removes a file in one step, and creates missing folders. `access` must be what the gate
     * granted. An existing text file keeps its encoding.
     *
     * Fails with `validation_failed` if the file changed since approval, or if its encoding lacks a character. Fails
     * with `io_error` for problems of the system.
     */
    write(access: WriteAccess): Effect.Effect<void, ToolFailure>
    /**
     * Sorted paths of all files relative to the root, without files that git ignores. Fails with `output_limit` above
     * 100,000 files.
     */
    readonly tree: Effect.Effect<ReadonlyArray<string>, ToolFailure>
    /** Lists files like `tree`, but stops at a limit instead of failing, and says so. */
    treeWithin(bounds: TreeBounds): Effect.Effect<TreeListing, ToolFailure>
  }
>()("task-conductor/services/files/Workspace") {
  /** The workspace of an existing folder. A relative path starts at the current folder. */
  static readonly layer = (root: string) =>
    Layer.effect(
      Workspace,
      Effect.gen(function* () {
        const real = yield* openRoot(root)
        const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem>())
        return Workspace.of({
          root: real,
          canonical: Effect.fn("Workspace.canonical")(function* (path) {
            const place = path === "" || path.includes("\0") ? undefined : yield* proposedPlace(real, path)
            const found = typeof place === "object" ? place : yield* provide(canonicalPath(real, place ?? path))
            yield* requireNoFileAbove(found.path)
            return found
          }),
          meant: Effect.fn("Workspace.meant")((path) => provide(meantPath(real, path))),
          state: Effect.fn("Workspace.state")((path) =>
            proposedOr(
              path,
              (file) => Effect.succeed(proposedState(file)),
              provide(Effect.orElseSucceed(contentState(path), () => "unknown"))
            )
          ),
          readText: Effect.fn("Workspace.readText")((file, maxBytes, range) =>
            range === undefined
              ? proposedOr(file, (one) => textOf(one, maxBytes), provide(readTextFile(file, maxBytes)))
              : proposedOr(
                  file,
                  (one) => Effect.flatMap(textOf(one, Infinity), (text) => linesOfText(file, text, range, maxBytes)),
                  provide(readTextLines(file, range, maxBytes))
                )
          ),
          encoding: Effect.fn("Workspace.encoding")((file) => provide(encodingOf(file))),
          entry: Effect.fn("Workspace.entry")((file) => provide(entryWith(file))),
          write: Effect.fn("Workspace.write")((access) =>
            Effect.flatMap(CurrentCopy, (copy) =>
              copy === undefined
                ? provide(changeFile(access.path, writtenText(access), access))
                : Effect.map(
                    provide(Effect.all([movedIn(copy, access), heldAt(access, copy.get(access.path)?.from)])),
                    ([beside, held]) =>
                      copy.propose({ ...beside, ...held, path: access.path, text: writtenText(access) })
                  )
            )
          ),
          tree: Effect.flatMap(provide(listTree(real, maxTreeEntries)), (files) => withProposals(real, files)),
          treeWithin: Effect.fn("Workspace.treeWithin")(function* (bounds) {
            const listing = yield* provide(listTreeWithin(real, bounds))
            return { ...listing, files: yield* withProposals(real, listing.files, bounds.below) }
          })
        })
      })
    )

  /** A workspace without access to files. `root` is the real path of the project. */
  static readonly layerNamed = (root: string) => {
    const unreadable = Effect.fail(new ToolFailure({ type: "io_error", message: `Nothing in ${root} is read now.` }))
    return Layer.succeed(Workspace)(
      Workspace.of({
        root,
        canonical: () => unreadable,
        meant: (path) => Effect.succeed(path),
        state: () => Effect.succeed("unknown"),
        readText: () => unreadable,
        encoding: () => Effect.succeed(undefined),
        entry: () => unreadable,
        write: () => unreadable,
        tree: unreadable,
        treeWithin: () => unreadable
      })
    )
  }
}

/** True if a path leads to a regular file, even through a link. */
export const isFileAt = (workspace: Workspace["Service"], written: string): Effect.Effect<boolean> =>
  Effect.flatMap(workspace.canonical(written), ({ path }) => workspace.entry(path)).pipe(
    Effect.match({ onFailure: () => false, onSuccess: (entry) => entry?.is === "file" })
  )

/**
 * The hash of the text at a canonical path. If there is no readable text, another text that identifies the state.
 * `null` if nothing is at the path.
 */
export const fileState = (workspace: Workspace["Service"], path: string): Effect.Effect<string | null> =>
  Effect.catch(Effect.map(workspace.readText(path, maxComparedBytes), textHash), ({ type }) =>
    type === "not_found"
      ? Effect.succeed(null)
      : Effect.map(workspace.state(path), (state) => (state === "absent" ? null : state))
  )
