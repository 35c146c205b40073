/**
 * What in a project controls git, this program or others, with a stamp of each, so that what a command created or changed
 * there can be named afterwards.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { type ProjectWalk, walkProject } from "../files/ProjectWalk.ts"
import { type GitControls, gitControls } from "../files/Repositories.ts"

/** Parts of a repository that make git run programs, or lead it to others that do. */
export const gitParts = ["hooks", "config", "config.worktree", "info", "modules", "worktrees", "commondir", "gitdir"]

export interface ProjectSurvey {
  readonly walk: ProjectWalk
  readonly controls: GitControls
  /** By absolute path. */
  readonly stamps: ReadonlyMap<string, string>
}

/** Of a project without anything to protect. */
export const emptySurvey: ProjectSurvey = {
  walk: { git: [], bare: [], secrets: [], controls: [], automatic: [] },
  controls: { inside: [], outside: [], around: [] },
  stamps: new Map()
}

/** Another text for another file, another content, or another target of a link; nothing where nothing is. */
const stampOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const link = Option.getOrUndefined(yield* Effect.option(fs.readLink(path)))
  if (link !== undefined) return `link ${link}`
  const found = Option.getOrUndefined(yield* Effect.option(fs.stat(path)))
  if (found === undefined) return undefined
  const identity = `${found.type} ${found.dev} ${Option.getOrElse(found.ino, () => 0)}`
  const time = Option.getOrUndefined(found.mtime)?.getTime()
  /* A folder changes with every commit; another one in its place is what matters. */
  return found.type === "File" ? `${identity} ${found.size} ${time}` : identity
})

/** Fails as `walkProject` does. `home` is where the person's configuration of git lies. */
export const surveyProject = Effect.fn("surveyProject")(function* (root: string, home: string) {
  const path = yield* Path.Path
  const walk = yield* walkProject(root)
  const controls = yield* gitControls({ root, home, git: walk.git, bare: walk.bare })
  const parts = [...walk.git, ...walk.bare].flatMap((folder) => gitParts.map((name) => path.join(folder, name)))
  const paths = [...walk.git, ...walk.bare, ...parts, ...controls.inside, ...walk.controls, ...walk.automatic]
  const stamps = yield* Effect.forEach(
    [...new Set(paths)],
    (one) => Effect.map(stampOf(one), (stamp) => [one, stamp] as const),
    { concurrency: 16 }
  )
  const survey: ProjectSurvey = {
    walk,
    controls,
    stamps: new Map(stamps.flatMap(([one, stamp]) => (stamp === undefined ? [] : [[one, stamp] as const])))
  }
  return survey
})

/** What is new or has changed, without the parts of a repository that is new as a whole; relative to the project. */
export const surveyChanges = (root: string, before: ProjectSurvey, after: ProjectSurvey): ReadonlyArray<string> => {
  const changed = [...after.stamps].filter(([one, stamp]) => before.stamps.get(one) !== stamp).map(([one]) => one)
  const outermost = changed.filter((one) => !changed.some((other) => one.startsWith(`${other}/`)))
  return outermost.map((one) => one.slice(root.length + 1)).toSorted()
}
