/**
 * Finds what git would run or be controlled by in a project, by where git really looks: in the repositories of the project
 * and around it, behind links and files that redirect `.git`, and in what their configuration names.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { filesNamedByGit, gitFolderNamed, isBareRepository } from "../../domain/files/GitConfig.ts"
import { canonicalPath, isWithin } from "./CanonicalPath.ts"
import { readTextFile } from "./TextFile.ts"

/** What controls git in a project, as absolute real paths inside it; some may not exist yet. */
export interface GitControls {
  readonly inside: ReadonlyArray<string>
  /** Folders of the project's own repository that lie outside it, such as that of a linked worktree. */
  readonly outside: ReadonlyArray<string>
  /** Entries named `.git` above the project, and the folders that they lead to outside it. */
  readonly around: ReadonlyArray<string>
}

interface RepositoryPlaces {
  readonly root: string
  readonly home: string
  /** Entries named `.git`, and bare repositories. */
  readonly git: ReadonlyArray<string>
  readonly bare: ReadonlyArray<string>
}

/** A folder with the parts of a repository, and the folder to which its settings are relative. */
interface GitFolder {
  readonly folder: string
  readonly top: string
}

const maxBytes = 1_048_576
const maxIncludes = 50

const readSmall = (file: string) => Effect.orElseSucceed(readTextFile(file, maxBytes), () => "")

/** The folder that an entry named `.git` leads to, real; nothing when it leads nowhere. */
const folderOf = Effect.fnUntraced(function* (entry: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const info = yield* Effect.option(fs.stat(entry))
  if (info._tag === "None") {
    const target = yield* Effect.option(canonicalPath("/", entry))
    return target._tag === "Some" && target.value.path !== entry ? target.value.path : undefined
  }
  if (info.value.type === "Directory") return yield* Effect.orElseSucceed(fs.realPath(entry), () => entry)
  const named = gitFolderNamed(yield* readSmall(entry))
  if (named === undefined || named === "") return undefined
  const real = yield* Effect.option(canonicalPath(path.dirname(entry), named))
  return real._tag === "Some" ? real.value.path : undefined
})

/** The folder that linked worktrees share; nothing when a repository has only its own. */
const sharedFolderOf = Effect.fnUntraced(function* (folder: string) {
  const path = yield* Path.Path
  const named = (yield* readSmall(path.join(folder, "commondir"))).trim()
  if (named === "") return undefined
  const real = yield* Effect.option(canonicalPath(folder, named))
  return real._tag === "Some" ? real.value.path : undefined
})

/** True when the folder of a repository outside a project names the project as its own worktree. */
const pointsBack = Effect.fnUntraced(function* (folder: string, entry: string) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const back = (yield* readSmall(path.join(folder, "gitdir"))).trim()
  if (back !== "") {
    const named = yield* Effect.orElseSucceed(fs.realPath(path.resolve(folder, back)), () => "")
    return named === entry
  }
  const config = yield* readSmall(path.join(folder, "config"))
  const worktree = /^\s*worktree\s*=\s*"?(.*?)"?\s*$/m.exec(config)?.[1]
  if (worktree === undefined) return false
  return (yield* Effect.orElseSucceed(fs.realPath(path.resolve(folder, worktree)), () => "")) === path.dirname(entry)
})

/** The entries named `.git` in the folders above the project. */
const entriesAbove = Effect.fnUntraced(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const above: Array<string> = []
  for (let folder = path.dirname(root); path.dirname(folder) !== folder; folder = path.dirname(folder)) {
    const entry = path.join(folder, ".git")
    if (yield* Effect.orElseSucceed(fs.exists(entry), () => false)) above.push(entry)
  }
  return above
})

/** What a configuration and those that it includes name inside the project; `tops` are where relative paths start. */
const namedInside = Effect.fnUntraced(function* (
  files: ReadonlyArray<{ readonly file: string; readonly tops: ReadonlyArray<string> }>,
  { home, root }: RepositoryPlaces
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const inside = new Set<string>()
  const seen = new Set<string>()
  const open = [...files]
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { file, tops } = next
    const key = JSON.stringify([file, tops])
    if (seen.has(key) || seen.size > maxIncludes * Math.max(1, files.length)) continue
    seen.add(key)
    for (const { isConfig, isSure, path: written } of filesNamedByGit(yield* readSmall(file))) {
      const plain = written.startsWith("~/") ? path.join(home, written.slice(2)) : written
      for (const top of isConfig ? [path.dirname(file)] : tops) {
        const real = yield* Effect.option(canonicalPath(top, plain))
        if (real._tag === "None") continue
        if (isConfig) open.push({ file: real.value.path, tops })
        const full = real.value.path
        if (full === root || !isWithin(path, root, full)) continue
        const isFile = Effect.match(fs.stat(full), { onFailure: () => false, onSuccess: ({ type }) => type === "File" })
        if (isSure || (yield* isFile)) inside.add(full)
      }
    }
  }
  return [...inside]
})

/** True when a new file would complete what git takes for a repository, or belongs to one. */
export const isInBareRepository = Effect.fn("isInBareRepository")(function* (root: string, file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (let folder = path.dirname(file); isWithin(path, root, folder); folder = path.dirname(folder)) {
    const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])
    const [added = ""] = path.relative(folder, file).split(path.sep)
    if (isBareRepository(new Set([...names, added]))) return true
  }
  return false
})

/** Everything in the project that controls git there or around it. */
export const gitControls = Effect.fn("gitControls")(function* (places: RepositoryPlaces) {
  const path = yield* Path.Path
  const { bare, git, home, root } = places
  const folders: Array<GitFolder> = bare.map((folder) => ({ folder, top: folder }))
  const outside = new Set<string>()
  const above = yield* entriesAbove(root)
  const around = new Set(above)
  for (const entry of [...git, ...above]) {
    const folder = yield* folderOf(entry)
    if (folder === undefined) continue
    const shared = yield* sharedFolderOf(folder)
    const some = [folder, ...(shared === undefined ? [] : [shared])]
    folders.push(...some.map((one) => ({ folder: one, top: path.dirname(entry) })))
    if (!git.includes(entry)) for (const one of some) if (!isWithin(path, root, one)) around.add(one)
    const isOwn = git.includes(entry) && !isWithin(path, root, folder) && (yield* pointsBack(folder, entry))
    if (isOwn) for (const one of some) if (!isWithin(path, root, one)) outside.add(one)
  }
  const tops = [...new Set([root, ...folders.map(({ top }) => top)])]
  const ofPerson = [path.join(home, ".gitconfig"), path.join(home, ".config/git/config"), "/etc/gitconfig"]
  const configurations = [
    ...ofPerson.map((file) => ({ file, tops })),
    ...folders.flatMap(({ folder, top }) =>
      ["config", "config.worktree"].map((name) => ({ file: path.join(folder, name), tops: [top] }))
    )
  ]
  const named = yield* namedInside(configurations, places)
  const own = folders.flatMap(({ folder }) => (folder !== root && isWithin(path, root, folder) ? [folder] : []))
  const controls: GitControls = {
    inside: [...new Set([...git, ...own, ...named])],
    outside: [...outside],
    around: [...around]
  }
  return controls
})
