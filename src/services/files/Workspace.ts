/**
 * The project folder: canonical paths, bounded reads, atomic writes, the list of files, and the project description.
 */
import * as Effect from "effect/Effect"
import * as path from "node:path"
import type { DescriptionFile } from "../../domain/models/ProjectDescription.ts"
import { foldersOf, withoutEscapes } from "../../domain/files/PathList.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import { canonicalPath } from "./CanonicalPath.ts"
import { isFile } from "./FileLook.ts"
import { linesOfText, readTextFile, readTextLines, tooLarge } from "./TextFile.ts"
import { CurrentCopy } from "./WorkingCopy.ts"
import * as Context from "effect/Context"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type CanonicalAccess, writtenText } from "../../domain/tools/Access.ts"
import { compareCodePoints } from "../../domain/text/CodePointOrder.ts"
import type { LineRange } from "../../domain/text/LineRange.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { changeFile } from "./AtomicWrite.ts"
import { contentState, linkState, textHash } from "./Hash.ts"
import { listTree, listTreeWithin, maxTreeEntries, type TreeBounds, type TreeListing } from "./FileTree.ts"

/** Larger files are not compared. */
const maxComparedBytes = 64 * 1024 * 1024

/** The given folder cannot be used as the project. `path` is absolute. */
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

/** Looks at the working copy of the fiber first: what it proposes stands for what the project holds. */
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
  return Buffer.byteLength(file.text) > maxBytes
    ? Effect.fail(tooLarge(file.path, maxBytes))
    : Effect.succeed(file.text)
}

const kindIn = ({ kind }: CanonicalAccess & { readonly _tag: "WriteFile" }) => (kind === undefined ? {} : { kind })

/** The text at a path in the project, where there is one. */
const textNow = (file: string) =>
  Effect.match(readTextFile(file, maxComparedBytes), { onFailure: () => null, onSuccess: (text) => text })

/** The listing with the files that the working copy of the fiber adds, and without those that it removes. */
const withProposals = (root: string, listed: ReadonlyArray<string>) =>
  Effect.map(CurrentCopy, (copy): ReadonlyArray<string> => {
    const files = copy?.files() ?? []
    if (files.length === 0) return listed
    const names = new Set(listed)
    for (const file of files) {
      const name = path.relative(root, file.path).split(path.sep).join("/")
      if (file.text === null) names.delete(name)
      else names.add(name)
    }
    return [...names].sort(compareCodePoints)
  })

/**
 * A fiber that works for a task sees the project as the working copy of the task has it, and what it writes goes there.
 */
/** Fails unless the project is a folder that can be listed. */
export const requireProject = (root: string) => Effect.asVoid(openRoot(root))

export class Workspace extends Context.Service<
  Workspace,
  {
    /** The real, absolute path of the project folder. */
    readonly root: string
    /**
     * Makes a path canonical without touching the file: relative paths start at the root, links are resolved as far as
     * the path exists. Fails with `validation_failed` (NUL) or `io_error`.
     */
    canonical(path: string): Effect.Effect<{ readonly path: string; readonly inside: boolean }, ToolFailure>
    /** What identifies the content at a canonical path now; another content gives another text. */
    state(path: string): Effect.Effect<string>
    /** True when a regular file is at this canonical path. */
    isFile(path: string): Effect.Effect<boolean>
    /**
     * Reads a regular UTF-8 text file at a canonical path, at most `maxBytes`. Fails with `not_found`, `io_error` (folder, pipe, no
     * permission), `output_limit` (too large) or `parse_error` (not text).
     */
    readText(file: string, maxBytes: number): Effect.Effect<string, ToolFailure>
    /**
     * Reads lines of such a file, which may be larger than `maxBytes`; the lines may not. A range that begins after the
     * last line fails with `validation_failed`; one that ends after it gives the lines that exist.
     */
    readLines(file: string, range: LineRange, maxBytes: number): Effect.Effect<string, ToolFailure>
    /**
     * Replaces, creates or removes a file in one step and makes missing folders. The access must be the one that was granted to
     * the call. Fails with `validation_failed` when the file changed since the host looked, and with `io_error`.
     */
    write(access: CanonicalAccess & { readonly _tag: "WriteFile" }): Effect.Effect<void, ToolFailure>
    /** Paths of all files relative to the root, sorted, without what git ignores. Fails with `output_limit` above 100,000. */
    readonly tree: Effect.Effect<ReadonlyArray<string>, ToolFailure>
    /** Like `tree`, but it ends at a bound instead of failing, and says so. */
    treeWithin(bounds: TreeBounds): Effect.Effect<TreeListing, ToolFailure>
  }
>()("task-conductor/services/files/Workspace") {
  /** The workspace of an existing folder; a relative path starts at the current folder. */
  static readonly layer = (root: string) =>
    Layer.effect(
      Workspace,
      Effect.gen(function* () {
        const real = yield* openRoot(root)
        const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem>())
        return Workspace.of({
          root: real,
          canonical: Effect.fn("Workspace.canonical")((path) => provide(canonicalPath(real, path))),
          state: Effect.fn("Workspace.state")((path) =>
            proposedOr(
              path,
              ({ kind, text }) =>
                Effect.succeed(text === null ? "absent" : kind === "link" ? linkState(text) : textHash(text)),
              provide(Effect.orElseSucceed(contentState(path), () => "unknown"))
            )
          ),
          isFile: Effect.fn("Workspace.isFile")((path) =>
            proposedOr(
              path,
              ({ kind, text }) => Effect.succeed(text !== null && kind !== "link"),
              provide(isFile(path))
            )
          ),
          readText: Effect.fn("Workspace.readText")((file, maxBytes) =>
            proposedOr(file, (one) => textOf(one, maxBytes), provide(readTextFile(file, maxBytes)))
          ),
          readLines: Effect.fn("Workspace.readLines")((file, range, maxBytes) =>
            proposedOr(
              file,
              (one) => Effect.flatMap(textOf(one, Infinity), (text) => linesOfText(file, text, range, maxBytes)),
              provide(readTextLines(file, range, maxBytes))
            )
          ),
          write: Effect.fn("Workspace.write")((access) =>
            Effect.flatMap(CurrentCopy, (copy) =>
              copy === undefined
                ? provide(changeFile(access.path, writtenText(access), access))
                : Effect.map(provide(textNow(access.path)), (base) =>
                    copy.propose({ ...kindIn(access), path: access.path, base, text: writtenText(access) })
                  )
            )
          ),
          tree: Effect.flatMap(provide(listTree(real, maxTreeEntries)), (files) => withProposals(real, files)),
          treeWithin: (bounds) =>
            Effect.flatMap(provide(listTreeWithin(real, bounds)), (listing) =>
              Effect.map(withProposals(real, listing.files), (files) => ({ ...listing, files }))
            )
        })
      })
    )

  /** A folder whose content cannot be read or changed. `root` is its real path. */
  static readonly layerNamed = (root: string) => {
    const unreadable = Effect.fail(new ToolFailure({ type: "not_found", message: `Nothing in ${root} is read now.` }))
    return Layer.succeed(Workspace)(
      Workspace.of({
        root,
        canonical: () => unreadable,
        state: () => Effect.succeed("unknown"),
        isFile: () => Effect.succeed(false),
        readText: () => unreadable,
        readLines: () => unreadable,
        write: () => unreadable,
        tree: unreadable,
        treeWithin: () => unreadable
      })
    )
  }
}

/** The hash of the text at a canonical path; `null` when there is no readable text. */
export const fileState = (workspace: Workspace["Service"], path: string): Effect.Effect<string | null> =>
  Effect.match(workspace.readText(path, maxComparedBytes), { onFailure: () => null, onSuccess: textHash })

/**
 * The path of a file of the project that is meant: `src/my\\_file.go`, copied from markdown, is `src/my_file.go` when only
 * that exists.
 */
export const meantPath = Effect.fnUntraced(function* (written: string, workspace: Workspace["Service"]) {
  const plain = withoutEscapes(written)
  if (plain === written) return written
  const isThere = Effect.fnUntraced(function* (path: string) {
    const found = yield* workspace.canonical(path)
    return found.inside && (yield* workspace.isFile(found.path))
  })
  const has = (path: string) => Effect.orElseSucceed(isThere(path), () => false)
  return !(yield* has(written)) && (yield* has(plain)) ? plain : written
})

/** The first that is there and not empty counts. */
const names = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"]
const maxBytes = 1_048_576

/**
 * The texts that describe the project: AGENTS.md and its like from the folders of the files `near` (paths relative to the
 * project) and those above them, the nearest first; README.md of the project where it has none of them. `mayRead` decides
 * about each canonical path.
 */
export const readDescriptions = Effect.fn("readDescriptions")(function* (
  workspace: Workspace["Service"],
  near: ReadonlyArray<string>,
  mayRead: (path: string) => Effect.Effect<boolean>
) {
  const textOf = Effect.fnUntraced(function* (relative: string) {
    const file = yield* Effect.orElseSucceed(workspace.canonical(relative), () => undefined)
    if (file === undefined || !file.inside || !(yield* mayRead(file.path))) return ""
    return (yield* Effect.orElseSucceed(workspace.readText(file.path, maxBytes), () => "")).trim()
  })

  const firstOf = Effect.fnUntraced(function* (folder: string) {
    for (const name of folder === "" ? [...names, "README.md"] : names) {
      const relative = folder === "" ? name : `${folder}/${name}`
      const text = yield* textOf(relative)
      if (text !== "") return [{ path: relative, text } satisfies DescriptionFile]
    }
    return []
  })

  const folders = foldersOf(near).toSorted((a, b) => b.split("/").length - a.split("/").length)
  return (yield* Effect.forEach([...folders, ""], firstOf)).flat()
})
