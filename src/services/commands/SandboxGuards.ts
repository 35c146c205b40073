/**
 * What commands may not change or read in the project, as flags of bubblewrap: repositories, files that control git or
 * this program, and secrets.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { isWithin } from "../files/CanonicalPath.ts"
import { gitParts, type ProjectSurvey } from "./ProjectSurvey.ts"
import { bind, hide } from "./SandboxSystem.ts"

interface GuardedPlaces {
  readonly root: string
  readonly survey: ProjectSurvey
  /** What the person names, real paths: files among them are shown although they look like secrets. */
  readonly readable: ReadonlyArray<string>
  readonly writable: ReadonlyArray<string>
  /** Whether commands may commit: only what makes git run programs is read-only. */
  readonly git: boolean
}

export interface Guards {
  readonly flags: ReadonlyArray<string>
  /** Folders that do not exist, and are there while commands run, so that nothing else can be made in their place. */
  readonly placeholders: ReadonlyArray<string>
}

/** The folders between the project and a path: what is mounted on itself cannot be moved away. */
const foldersAbove = (path: Path.Path, root: string, one: string): ReadonlyArray<string> => {
  const above: Array<string> = []
  for (let folder = path.dirname(one); folder !== root && isWithin(path, root, folder); folder = path.dirname(folder))
    above.unshift(folder)
  return above
}

const byDepth = (a: string, b: string): number => a.split("/").length - b.split("/").length

/** How a path can be protected: a link cannot; what it leads to has its own entry, and it is compared afterwards. */
const stateOf = Effect.fnUntraced(function* (one: string) {
  const fs = yield* FileSystem.FileSystem
  const real = yield* Effect.option(fs.realPath(one))
  if (real._tag === "Some") return real.value === one ? "there" : "link"
  return (yield* Effect.option(fs.readLink(one)))._tag === "Some" ? "link" : "missing"
})

/** The highest folder on the way to a missing path that is missing too: in its place, nothing can be moved away. */
const highestMissing = Effect.fnUntraced(function* (root: string, one: string) {
  const path = yield* Path.Path
  for (const folder of foldersAbove(path, root, one)) if ((yield* stateOf(folder)) === "missing") return folder
  return one
})

const isFolder = Effect.fnUntraced(function* (one: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.match(fs.stat(one), {
    onFailure: () => false,
    onSuccess: ({ type }) => type === "Directory"
  })
})

/** The parts of open repositories that stay as they are: those that exist, and hooks, which could come. */
const partsOf = Effect.fnUntraced(function* (repository: string) {
  const path = yield* Path.Path
  const parts = gitParts.map((name) => path.join(repository, name))
  return yield* Effect.filter(parts, (part) =>
    Effect.map(stateOf(part), (state) => state === "there" || (state === "missing" && part.endsWith("/hooks")))
  )
})

export const guardProject = Effect.fn("guardProject")(function* (places: GuardedPlaces) {
  const path = yield* Path.Path
  const { git, readable, root, survey, writable } = places
  const { controls, walk } = survey
  const repositories = yield* Effect.filter([...walk.git, ...walk.bare], isFolder)
  const open = repositories.filter((one) => git || one === root)
  const parts = (yield* Effect.forEach(open, partsOf)).flat()
  const all = [...new Set([...controls.inside, ...walk.controls, ...parts])].filter((one) => one !== root)
  const states = new Map(
    yield* Effect.forEach(all, (one) => Effect.map(stateOf(one), (state) => [one, state] as const))
  )
  const closed = all.filter((one) => states.get(one) === "there" && !open.includes(one)).toSorted(byDepth)
  const missing = all.filter(
    (one) => states.get(one) === "missing" && !closed.some((folder) => isWithin(path, folder, one))
  )
  const placeholders = [...new Set(yield* Effect.forEach(missing, (one) => highestMissing(root, one)))]
  const above = [...closed, ...placeholders].flatMap((one) => foldersAbove(path, root, one))
  const pinned = yield* Effect.filter([...new Set([...above, ...open.filter((one) => one !== root)])], isFolder)
  const movable = pinned.filter((one) => !closed.some((folder) => isWithin(path, folder, one)))
  const guards: Guards = {
    flags: [
      ...bind("--ro-bind", controls.outside),
      ...bind(
        "--ro-bind",
        controls.around.filter((one) => writable.some((folder) => isWithin(path, folder, one)))
      ),
      ...bind("--bind", movable.toSorted(byDepth)),
      ...bind("--ro-bind", closed),
      ...placeholders.flatMap((one) => ["--tmpfs", one, "--remount-ro", one]),
      ...(yield* hide(walk.secrets.filter((one) => !readable.includes(one) && !writable.includes(one))))
    ],
    placeholders
  }
  return guards
})
