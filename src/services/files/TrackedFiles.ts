/**
 * Reads from git's index which files a repository tracks, without starting git. `.gitignore` does not affect tracked
 * files.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import * as Result from "effect/Result"
import { gitFolderNamed, gitSettings } from "../../domain/files/GitConfig.ts"
import { type GitIndex, readGitIndex } from "../../domain/files/GitIndex.ts"
import { isFolder } from "./FileLook.ts"
import { readFileBytes, readTextFile } from "./TextFile.ts"

/** Tracked files by absolute path. */
export interface TrackedFiles {
  readonly files: ReadonlySet<string>
  /** The folders with a tracked file. */
  readonly folders: ReadonlySet<string>
  readonly submodules: ReadonlySet<string>
  /** Why the list is empty or incomplete, as a sentence. */
  readonly problem?: string
}

/** The maximum size of an index, in bytes. Git needs about a hundred bytes for each file. */
const maxIndexBytes = 268_435_456
const maxSettingBytes = 1_048_576

const settingText = (file: string) => Effect.orElseSucceed(readTextFile(file, maxSettingBytes), () => "")

/**
 * The git folders of a repository: `own` contains its index, and all its worktrees share `common`. In a worktree or
 * submodule, `.git` is a file that names `own`.
 */
export const gitFolders = Effect.fnUntraced(function* (top: string) {
  const git = path.join(top, ".git")
  const named = (yield* isFolder(git)) ? "" : (gitFolderNamed(yield* settingText(git)) ?? "")
  const own = named === "" ? git : path.resolve(top, named)
  const shared = (yield* settingText(path.join(own, "commondir"))).trim()
  return { own, common: shared === "" ? own : path.resolve(own, shared) }
})

const hashBytesOf = Effect.fnUntraced(function* (common: string) {
  const settings = gitSettings(yield* settingText(path.join(common, "config")))
  return settings.some(({ key, value }) => key === "extensions.objectformat" && value === "sha256") ? 32 : 20
})

type ReadIndex = Result.Result<GitIndex | undefined, string>

/** The index at a path, merged with its shared index, if any. Undefined if there is no index yet. */
const indexAt = Effect.fnUntraced(function* (
  file: string,
  hashBytes: number
): Effect.fn.Return<ReadIndex, never, FileSystem.FileSystem> {
  const bytes = yield* Effect.result(readFileBytes(file, maxIndexBytes))
  if (Result.isFailure(bytes)) {
    const { message, type } = bytes.failure
    return type === "not_found" ? Result.succeed(undefined) : Result.fail(message.replace(/\.$/, ""))
  }
  return readGitIndex(bytes.success, hashBytes)
})

/** The tracked files at or below a folder. `top` is the top of their repository. */
export const trackedFiles = Effect.fn("trackedFiles")(function* (top: string, below: string) {
  const { common, own: gitFolder } = yield* gitFolders(top)
  const hashBytes = yield* hashBytesOf(common)
  const file = path.join(gitFolder, "index")
  const index = yield* indexAt(file, hashBytes)
  const sharedName = Result.getOrUndefined(index)?.sharedIndex
  const shared: ReadIndex =
    sharedName === undefined ? Result.succeed(undefined) : yield* indexAt(path.join(gitFolder, sharedName), hashBytes)
  const beginning = below === top ? "" : `${path.relative(top, below).split(path.sep).join("/")}/`
  const named = (key: "files" | "submodules") =>
    [index, shared]
      .flatMap((one) => Result.getOrUndefined(one)?.[key] ?? [])
      .filter((name) => name.startsWith(beginning))
      .map((name) => path.join(top, name))
  const files = new Set(named("files"))
  const submodules = new Set(named("submodules"))
  const folders = new Set<string>()
  for (const name of [...files, ...submodules]) {
    for (let at = path.dirname(name); at.length > below.length && !folders.has(at); at = path.dirname(at))
      folders.add(at)
  }
  const failed = [index, shared].find(Result.isFailure)
  const isLost = sharedName !== undefined && Result.isSuccess(shared) && shared.success === undefined
  const why = failed?.failure ?? (isLost ? `there is no ${sharedName} beside it` : undefined)
  const tracked: TrackedFiles = { files, folders, submodules }
  if (why === undefined) return tracked
  const problem = `The index of git at ${file} cannot be read (${why}): files that git tracks although a pattern ignores them are left out.`
  return { ...tracked, problem }
})
