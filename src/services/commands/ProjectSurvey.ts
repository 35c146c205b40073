/**
 * Scans the project and all repositories in it before a command runs in the sandbox. Finds files that look like
 * secrets, and files that git would run or follow.
 */
import * as Effect from "effect/Effect"
import * as path from "node:path"
import type { CommittedSecrets } from "./CommittedSecrets.ts"
import { isBareRepository, filesNamedByGit, gitFolderNamed } from "../../domain/files/GitConfig.ts"
import { isAutomatic, isControlPath, isSecretLike, secretFolders } from "../../domain/files/SensitivePath.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { isWithin, pathFrom } from "../files/CanonicalPath.ts"
import { entriesIn, infoAt, isFile, isThere, linkAt, realPath } from "../files/FileLook.ts"
import { readTextFile } from "../files/TextFile.ts"

/** The findings of a scan, as absolute paths. */
interface ProjectWalk {
  /** All entries named `.git`: folders, files and links. */
  readonly git: Array<string>
  /** Folders that git treats as repositories although they are not named `.git`. */
  readonly bare: Array<string>
  /** Files and folders named like keys, passwords or tokens. */
  readonly secrets: Array<string>
  /** Files and folders that control this program. */
  readonly controls: Array<string>
  /** Files that other programs run or read automatically. */
  readonly automatic: Array<string>
}

const maxEntries = 1_000_000
const foldersAtOnce = 16

/** Folders of installed packages. There, a file that looks like a key may be a certificate of a library. */
const installed: ReadonlySet<string> = new Set(["node_modules", "site-packages", "dist-packages"])

const tooLarge = new ToolFailure({
  type: "io_error",
  message: `The project has more than ${maxEntries} files and folders, too many to protect them from commands. Give a smaller folder with --project.`
})

interface Folder {
  readonly path: string
  readonly isInstalled: boolean
}

/** Scans a project, without folders that cannot be listed. Fails with `io_error` if it is too large. */
const walkProject = Effect.fn("walkProject")(function* (root: string) {
  const walk: ProjectWalk = { git: [], bare: [], secrets: [], controls: [], automatic: [] }
  let entries = 0

  const note = (folder: Folder, name: string, isFolder: boolean): Folder | undefined => {
    const full = `${folder.path}${path.sep}${name}`
    if (name === ".git") walk.git.push(full)
    else if (isControlPath(name)) walk.controls.push(full)
    else if (isFolder) {
      if (!secretFolders.has(name)) return { path: full, isInstalled: folder.isInstalled || installed.has(name) }
      walk.secrets.push(full)
    } else if (!folder.isInstalled) {
      const relative = full.slice(root.length + 1)
      if (isSecretLike(relative)) walk.secrets.push(full)
      if (isAutomatic(relative)) walk.automatic.push(full)
    }
    return undefined
  }

  const visit = Effect.fnUntraced(function* (folder: Folder) {
    const listed = yield* entriesIn(folder.path)
    entries += listed.length
    if (entries > maxEntries) return yield* tooLarge
    if (isBareRepository(new Set(listed.map(({ name }) => name)))) {
      walk.bare.push(folder.path)
      return []
    }
    return listed.flatMap(({ name, type }) => note(folder, name, type === "Directory") ?? [])
  })

  let level: ReadonlyArray<Folder> = [{ path: root, isInstalled: false }]
  while (level.length > 0) {
    level = (yield* Effect.forEach(level, visit, { concurrency: foldersAtOnce })).flat()
  }
  return walk
})

/** The paths that control git, real and absolute. Some may not exist yet. */
interface GitControls {
  readonly inside: ReadonlyArray<string>
  /** Folders outside the project that belong to its repository, such as those of a linked worktree. */
  readonly outside: ReadonlyArray<string>
  /** Entries named `.git` above the project, and the folders outside the project to which they lead. */
  readonly around: ReadonlyArray<string>
  /** The repositories that commands can see. */
  readonly repositories: ReadonlyArray<string>
}

const maxBytes = 1_048_576
const maxIncludes = 50

const readSmall = (file: string) => Effect.orElseSucceed(readTextFile(file, maxBytes), () => "")

/** The real folder to which a `.git` leads; undefined if there is none. */
const folderOf = Effect.fnUntraced(function* (entry: string) {
  const info = yield* infoAt(entry)
  if (info === undefined) {
    const target = yield* pathFrom("/", entry)
    return target === entry ? undefined : target
  }
  if (info.type === "Directory") return (yield* realPath(entry)) ?? entry
  const named = gitFolderNamed(yield* readSmall(entry))
  return named === undefined || named === "" ? undefined : yield* pathFrom(path.dirname(entry), named)
})

/** The folder that a repository and its linked worktrees share; undefined if there is none. */
const sharedFolderOf = Effect.fnUntraced(function* (folder: string) {
  const named = (yield* readSmall(path.join(folder, "commondir"))).trim()
  return named === "" ? undefined : yield* pathFrom(folder, named)
})

/** True if a repository outside the project names the project as its worktree. */
const pointsBack = Effect.fnUntraced(function* (folder: string, entry: string) {
  const back = (yield* readSmall(path.join(folder, "gitdir"))).trim()
  if (back !== "") return (yield* realPath(path.resolve(folder, back))) === entry
  const config = yield* readSmall(path.join(folder, "config"))
  const worktree = /^\s*worktree\s*=\s*"?(.*?)"?\s*$/m.exec(config)?.[1]
  return worktree !== undefined && (yield* realPath(path.resolve(folder, worktree))) === path.dirname(entry)
})

/** Entries named `.git` in the folders above the project. */
const entriesAbove = Effect.fnUntraced(function* (root: string) {
  const above: Array<string> = []
  for (let folder = path.dirname(root); path.dirname(folder) !== folder; folder = path.dirname(folder)) {
    const entry = path.join(folder, ".git")
    if (yield* isThere(entry)) above.push(entry)
  }
  return above
})

/**
 * The project paths that git configurations name. Also reads the files that these configurations include. Relative
 * paths start at the folders in `tops`.
 */
const namedInside = Effect.fnUntraced(function* (
  files: ReadonlyArray<{ readonly file: string; readonly tops: ReadonlyArray<string> }>,
  { home, root }: { readonly home: string; readonly root: string }
) {
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
        const full = yield* pathFrom(top, plain)
        if (full === undefined) continue
        if (isConfig) open.push({ file: full, tops })
        if (full === root || !isWithin(root, full)) continue
        if (isSure || (yield* isFile(full))) inside.add(full)
      }
    }
  }
  return [...inside]
})

/** True if git treats a folder above a new file as a repository, or would do so because of this file. */
export const isInBareRepository = Effect.fn("isInBareRepository")(function* (root: string, file: string) {
  for (let folder = path.dirname(file); isWithin(root, folder); folder = path.dirname(folder)) {
    const names = (yield* entriesIn(folder)).map(({ name }) => name)
    const [added = ""] = path.relative(folder, file).split(path.sep)
    if (isBareRepository(new Set([...names, added]))) return true
  }
  return false
})

/** Finds the files and folders that control git for the project, inside the project and outside it. */
const gitControls = Effect.fn("gitControls")(function* (root: string, home: string, { bare, git }: ProjectWalk) {
  /** The folders of all repositories. Relative paths in their settings start at `top`. */
  const folders = bare.map((folder) => ({ folder, top: folder }))
  const outside = new Set<string>()
  const above = yield* entriesAbove(root)
  const around = new Set(above)
  for (const entry of [...git, ...above]) {
    const folder = yield* folderOf(entry)
    if (folder === undefined) continue
    const shared = yield* sharedFolderOf(folder)
    const some = [folder, ...(shared === undefined ? [] : [shared])]
    folders.push(...some.map((one) => ({ folder: one, top: path.dirname(entry) })))
    const isInside = git.includes(entry)
    const isOwn = isInside && !isWithin(root, folder) && (yield* pointsBack(folder, entry))
    for (const one of isInside && !isOwn ? [] : some) if (!isWithin(root, one)) (isOwn ? outside : around).add(one)
  }
  const tops = [...new Set([root, ...folders.map(({ top }) => top)])]
  const userFiles = [path.join(home, ".gitconfig"), path.join(home, ".config/git/config"), "/etc/gitconfig"]
  const configurations = [
    ...userFiles.map((file) => ({ file, tops })),
    ...folders.flatMap(({ folder, top }) =>
      ["config", "config.worktree"].map((name) => ({ file: path.join(folder, name), tops: [top] }))
    )
  ]
  const named = yield* namedInside(configurations, { home, root })
  const own = folders.flatMap(({ folder }) => (folder !== root && isWithin(root, folder) ? [folder] : []))
  const inside = [...new Set([...git, ...own, ...named])]
  const repositories = [...new Set(folders.map(({ folder }) => folder))].filter(
    (folder) => isWithin(root, folder) || outside.has(folder)
  )
  return { inside, outside: [...outside], around: [...around], repositories } satisfies GitControls
})

/** The entries of a git folder that can make git run programs, or that lead to other git folders. */
export const gitParts = ["hooks", "config", "config.worktree", "info", "modules", "worktrees", "commondir", "gitdir"]

export interface ProjectSurvey {
  readonly walk: ProjectWalk
  readonly controls: GitControls
  /** The stamps of watched files by absolute path. */
  readonly stamps: ReadonlyMap<string, string>
}

/** The survey of a project where nothing needs protection. */
export const emptySurvey: ProjectSurvey = {
  walk: { git: [], bare: [], secrets: [], controls: [], automatic: [] },
  controls: { inside: [], outside: [], around: [], repositories: [] },
  stamps: new Map()
}

/** A text that changes when the file, its content, or its link target changes. Undefined if nothing is at the path. */
const stampOf = Effect.fnUntraced(function* (path: string) {
  const link = yield* linkAt(path)
  if (link !== undefined) return `link ${link}`
  const info = yield* infoAt(path)
  if (info === undefined) return undefined
  const identity = `${info.type} ${info.dev} ${info.ino}`
  /**
   * The stamp of a folder contains no size and time, because every commit changes them. So the stamp changes only if
   * another folder takes the place of this one.
   */
  return info.type === "File" ? `${identity} ${info.size} ${info.mtime}` : identity
})

/**
 * Surveys a project; fails if it is too large. `home` contains the user's git configuration. `committed` says which
 * repositories contain secrets.
 */
export const surveyProject = Effect.fn("surveyProject")(function* (
  root: string,
  home: string,
  committed: Pick<CommittedSecrets, "hiddenOf">
) {
  const walk = yield* walkProject(root)
  const controls = yield* gitControls(root, home, walk)
  walk.secrets.push(...(yield* committed.hiddenOf(controls.repositories)))
  const parts = [...walk.git, ...walk.bare].flatMap((folder) => gitParts.map((name) => path.join(folder, name)))
  const paths = [...walk.git, ...walk.bare, ...parts, ...controls.inside, ...walk.controls, ...walk.automatic]
  const stamps = yield* Effect.forEach(
    [...new Set(paths)],
    (one) => Effect.map(stampOf(one), (stamp) => [one, stamp] as const),
    { concurrency: 16 }
  )
  const known = stamps.flatMap(([one, stamp]) => (stamp === undefined ? [] : [[one, stamp] as const]))
  return { walk, controls, stamps: new Map(known) } satisfies ProjectSurvey
})

/**
 * The new and changed files since the survey `before`, relative to the project. A new repository counts as one file.
 */
export const surveyChanges = (root: string, before: ProjectSurvey, after: ProjectSurvey): ReadonlyArray<string> => {
  const changed = [...after.stamps].filter(([one, stamp]) => before.stamps.get(one) !== stamp).map(([one]) => one)
  const outermost = changed.filter((one) => !changed.some((other) => one.startsWith(`${other}/`)))
  return outermost.map((one) => one.slice(root.length + 1)).toSorted()
}
