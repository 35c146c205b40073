/**
 * Walks a folder with the same paths as the project: a copy, or the layer that a command writes. Ignored paths and
 * build output are listed separately, and their folders are not entered.
 */
import { chmod, readdir } from "node:fs/promises"
import { lstatSync, type Stats } from "node:fs"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { besideBuild, buildMarks } from "../../domain/files/BuildFolders.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { look } from "../files/FileLook.ts"
import { alwaysSkipped, readRules, ruledRoot, type RuledFolder, standingIn } from "../files/FileTree.ts"
import { trackedFiles } from "../files/TrackedFiles.ts"

/** `gone` marks a removed file in an overlay. `other` means a link, device, pipe or socket. */
type LayerKind = "file" | "folder" | "gone" | "other"

export interface LayerEntry {
  /** Relative to the project. */
  readonly name: string
  readonly kind: LayerKind
  readonly info: Stats
}

interface Layer {
  /** The real path of the project. */
  readonly root: string
  readonly folder: string
  /**
   * The trees between this tree and the project, nearest first. The ignore rules of a folder come from the nearest tree
   * that has some.
   */
  readonly behind: ReadonlyArray<string>
}

export const doing = <A>(what: string, work: () => Promise<A>): Effect.Effect<A, ToolFailure> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      new ToolFailure({
        type: "io_error",
        message: `Cannot ${what}: ${error instanceof Error ? error.message : error}`
      })
  })

/** The entry at a path, without following links; undefined if there is none. */
export const entryAt = (path: string) => look(() => lstatSync(path, { throwIfNoEntry: false }), undefined)

/** True for an entry with which the kernel marks a removed file in an overlay. */
const isGone = (info: Stats): boolean => info.isCharacterDevice() && info.rdev === 0

const kindOf = (info: Stats): LayerKind => {
  if (info.isFile()) return "file"
  if (info.isDirectory()) return "folder"
  return isGone(info) ? "gone" : "other"
}

/**
 * The names in a folder. A folder that a command left unreadable is made readable first. An unreadable folder of the
 * project counts as empty.
 */
const namesIn = (folder: string, isProject: boolean) =>
  doing(`list ${folder}`, () =>
    readdir(folder).catch(() => (isProject ? [] : chmod(folder, 0o700).then(() => readdir(folder))))
  )

/** Lists entries, parents first. Entries that git ignores or a build generates are listed separately, by name only. */
export const walkLayer = Effect.fn("walkLayer")(function* ({ behind, folder: top, root }: Layer) {
  const entries: Array<LayerEntry> = []
  const ignored: Array<string> = []
  const trees = [...new Set([top, ...behind, root])]

  const rulesIn = Effect.fnUntraced(function* (name: string) {
    for (const tree of trees) {
      const file = path.join(tree, name, ".gitignore")
      const info = yield* entryAt(file)
      if (info !== undefined) return (yield* readRules(file, path.join(root, name))).rules
    }
    return []
  })

  const isThere = Effect.fnUntraced(function* (name: string) {
    for (const tree of trees) if ((yield* entryAt(path.join(tree, name))) !== undefined) return true
    return false
  })

  const isBuilt = Effect.fnUntraced(function* (folder: string, name: string) {
    const beside = besideBuild(name)
    if (beside?.length === 0) return true
    const signs = [
      ...(beside ?? []).map((one) => path.join(folder, one)),
      ...buildMarks.map((one) => path.join(folder, name, one))
    ]
    for (const sign of signs) if (yield* isThere(sign)) return true
    return false
  })

  const start: RuledFolder = yield* ruledRoot(root)
  const open: Array<{ readonly name: string; readonly ruled: RuledFolder }> = [{ name: "", ruled: start }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { name: folder, ruled } = next
    const place = path.join(root, folder)
    const isRepository = folder !== "" && (yield* entryAt(path.join(place, ".git"))) !== undefined
    const tracked = isRepository ? yield* trackedFiles(place, place) : ruled.tracked
    const inner: RuledFolder = { ...ruled, tracked, chain: [...(yield* rulesIn(folder)), ...ruled.chain] }
    const standingOf = standingIn(inner)
    const names = yield* namesIn(path.join(top, folder), top === root)
    const listed = yield* Effect.forEach(
      names,
      (one) => Effect.map(entryAt(path.join(top, folder, one)), (info) => ({ one, info })),
      { concurrency: 16 }
    )
    for (const { info, one: entry } of listed) {
      if (info === undefined) continue
      const name = path.join(folder, entry)
      const isFolder = info.isDirectory()
      const isFolderThere = isFolder || (isGone(info) && tracked.folders.has(path.join(root, name)))
      const standing = alwaysSkipped.has(entry) ? "ignored" : standingOf(entry, isFolderThere)
      const isMade = standing === "counts" && isFolder && (yield* isBuilt(folder, entry))
      const holdsTracked = tracked.folders.has(path.join(root, name))
      if (standing === "ignored" || (isMade && !holdsTracked)) {
        ignored.push(name)
        continue
      }
      entries.push({ name, kind: kindOf(info), info })
      if (isFolder) {
        const isIgnored = standing === "tracked" || isMade
        open.push({ name, ruled: { ...inner, path: path.join(root, name), isIgnored } })
      }
    }
  }
  return { entries, ignored }
})
