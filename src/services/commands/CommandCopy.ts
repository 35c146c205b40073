/**
 * Working copies for commands. A command sees the project with the changes that its task proposes, and what it writes
 * is proposed too. One trial per run on the real project finds out how a copy can be made.
 */
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import * as Scope from "effect/Scope"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { canonicalPath, isWithin } from "../files/CanonicalPath.ts"
import { fileFailure } from "../files/FileFailure.ts"
import { infoAt, isMissing } from "../files/FileLook.ts"
import { takeLock } from "../files/ProcessLock.ts"
import { makeFolders, randomSuffix } from "../files/PrivateFile.ts"
import type { WorkingCopy } from "../files/WorkingCopy.ts"
import { type ChildEnd, processProvider, runChild } from "./ChildRun.ts"
import {
  copyDifference,
  type Difference,
  overlayDifference,
  proposeDifference,
  type ShownProject,
  stampsOf
} from "./CopyChanges.ts"
import { doing, walkLayer } from "./LayerWalk.ts"
import {
  bubblewrapOverlay,
  changesLayer,
  type CopyMounts,
  copyProject,
  makeLayers,
  namespaceOverlay,
  type OverlayMounts
} from "./ProjectCopy.ts"
import { testReports } from "./TestReports.ts"
import { emptySurvey } from "./ProjectSurvey.ts"
import type { Sandbox } from "./Sandbox.ts"

/** Whether and how commands see the proposals of a task. */
export interface CopyState {
  /**
   * How the copy is made. With `none`, commands see the project without the proposed changes. They can check a change
   * only after it is made.
   */
  readonly mechanism: "overlay" | "copy" | "none"
  /** How the copy is made, or why it cannot be made, as a clause. */
  readonly words: string
}

/** How a command in a copy ended. `guarded` contains the paths that the sandbox protected. */
interface CopiedRun {
  readonly end: ChildEnd
  readonly guarded: ReadonlyArray<string>
}

interface Way extends CopyState {
  /** The way to mount an overlay. Absent if the copy is a plain folder. */
  readonly overlay?: OverlayMounts
}

const none = (words: string): Way => ({ mechanism: "none", words })
const overlayWay = (words: string, overlay: OverlayMounts) => ({ mechanism: "overlay" as const, words, overlay })

/** Runs an effect at most once. Interrupting a cached effect would also interrupt later callers. */
const once = <A, E>(effect: Effect.Effect<A, E>) => Effect.cached(Effect.uninterruptible(effect))

interface CopyPlaces {
  /** The real path of the project. */
  readonly root: string
  /** The folder in which each command gets its own folder. Other processes of this program use it, too. */
  readonly scratch: string
  readonly git: boolean
  readonly sandbox: Sandbox["Service"]
  /** Runs a command, then removes the empty folders that its sandbox created. */
  readonly holding: (
    placeholders: ReadonlyArray<string>,
    child: Effect.Effect<ChildEnd, ToolFailure>
  ) => Effect.Effect<ChildEnd, ToolFailure>
}

const hideScript = 'for f; do mknod "$f" c 0 0 || exit 1; done'
const missingScript = 'i=0; for f; do [ -e "$f" ] || [ -L "$f" ] || echo $i; i=$((i+1)); done'

/** Tests an overlay: removes a file and a folder and creates them again. The old content must not come back. */
const trialScript =
  'cd "$0" && [ ! -e gone ] && rm -r folder && mkdir folder && echo new > folder/new && [ "$(ls folder)" = new ] && rm file && echo new > file && [ "$(cat file)" = new ]'

const wordsAtOnce = 500

const batches = (words: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(words.length / wordsAtOnce) }, (_, at) =>
    words.slice(at * wordsAtOnce, (at + 1) * wordsAtOnce)
  )

const failure = (message: string) => new ToolFailure({ type: "io_error", message })

const folderMode = 0o700

/**
 * Makes a folder and all folders below it writable. Entries may vanish meanwhile, because parts of the failed removal
 * may still run.
 */
const openAll = async (folder: string): Promise<void> => {
  await chmod(folder, folderMode).catch(() => undefined)
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isDirectory()) await openAll(path.join(folder, entry.name))
}

const remove = (folder: string) => rm(folder, { recursive: true, force: true })

/**
 * Removes a folder with all its content. If this fails, makes its folders accessible and tries again. An overlay leaves
 * a folder of mode 000, for example.
 */
const removeTree = (folder: string): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => remove(folder).catch(() => openAll(folder).then(() => remove(folder)))))

/** Takes the lock on a folder for commands, which keeps other processes from removing it. */
const lockFolder = (parent: string, folder: string) =>
  takeLock(folder, { folder: parent, runId: folder, what: `The folder ${folder}` })

/** Removes the folders that killed processes left in `parent`, and `parent` itself if it is empty. */
const removeLeft = (parent: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const real = yield* fs.realPath(parent)
    for (const name of yield* fs.readDirectory(real)) {
      const left = path.join(real, name)
      yield* Effect.ignore(Effect.scoped(Effect.andThen(lockFolder(real, left), removeTree(left))))
    }
    yield* Effect.tryPromise(() => rmdir(real))
  }).pipe(Effect.ignore, Effect.withSpan("removeLeft"))

/** Creates a private folder in `parent`, which exists until the scope closes. */
const openScratch = Effect.fn("openScratch")(
  function* (parent: string) {
    const fs = yield* FileSystem.FileSystem
    yield* makeFolders(parent, folderMode)
    const real = yield* fs.realPath(parent)
    const folder = path.join(real, `${process.pid}-${yield* randomSuffix}`)
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.tryPromise(() => rmdir(real))))
    yield* lockFolder(real, folder)
    yield* Effect.acquireRelease(makeFolders(folder, folderMode), () => removeTree(folder))
    return folder
  },
  (opening, parent) =>
    Effect.catchTag(opening, "PlatformError", (error) => Effect.fail(fileFailure("create", parent)(error))),
  Effect.mapError((error) =>
    error._tag === "ToolFailure" ? error : new ToolFailure({ type: "io_error", message: error.message })
  )
)

/** Runs the small programs that a copy needs. With `mounts`, they run in a sandbox that shows the copy. */
const makeCopyHelper = Effect.fnUntraced(function* ({ holding, root, sandbox }: CopyPlaces) {
  const provide = yield* processProvider

  const helper = Effect.fnUntraced(function* (argv: ReadonlyArray<string>, mounts?: CopyMounts) {
    const around =
      mounts === undefined
        ? { argv, placeholders: [] }
        : yield* sandbox.enclose({ argv, cwd: root, survey: emptySurvey, copy: mounts })
    const child = runChild({ ...around, cwd: root, env: {}, sandboxed: mounts !== undefined, seconds: 30 })
    const { exitCode, output } = yield* holding(around.placeholders, provide(child))
    if (exitCode === 0) return output
    return yield* failure(output.trim().split("\n")[0] || `exit code ${exitCode}`)
  }, provide)

  const hide = (paths: ReadonlyArray<string>) =>
    Effect.forEach(batches(paths), (some) => helper(["/bin/sh", "-c", hideScript, "sh", ...some]), { discard: true })

  /** Returns the names that the copy does not contain. Names are relative to the project. */
  const missing = (mounts: CopyMounts) =>
    Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
      const outputs = yield* Effect.forEach(batches(names), (some) =>
        helper(["/bin/sh", "-c", missingScript, "sh", ...some.map((name) => path.join(root, name))], mounts)
      )
      const gone = outputs.map((output) => new Set(output.split("\n")))
      return names.filter((_, at) => gone[Math.floor(at / wordsAtOnce)]?.has(`${at % wordsAtOnce}`) === true)
    })

  return { helper, hide, missing }
})

type CopyHelper = Effect.Success<ReturnType<typeof makeCopyHelper>>

const tryOverlay = Effect.fnUntraced(function* (
  overlay: OverlayMounts,
  root: string,
  folder: string,
  { helper, hide }: CopyHelper
) {
  const name = ".task-conductor-trial"
  const base = path.join(folder, "base", name)
  const file = (entry: string) => ({ name: `${name}/${entry}`, path: path.join(root, name, entry), base: null })
  yield* doing("prepare a trial", async () => {
    await mkdir(path.join(base, "folder"), { recursive: true })
    for (const entry of ["gone", "file", "folder/old"]) await writeFile(path.join(base, entry), "old")
  })
  yield* makeLayers(
    { root, scratch: folder },
    [
      { ...file("gone"), text: null },
      { ...file("other"), text: "" }
    ],
    hide
  )
  const mounts = overlay({ root, scratch: folder, layers: [changesLayer, "base"] })
  yield* helper(["/bin/sh", "-c", trialScript, path.join(root, name)], mounts)
})

/**
 * True if everything in the project belongs to this user and group. An overlay in a user namespace cannot change files
 * of other users.
 */
const hasOneOwner = Effect.fnUntraced(function* (root: string) {
  const { uid, gid } = yield* doing("look at the project", () => lstat(root))
  if (uid !== process.getuid?.() || gid !== process.getgid?.()) return false
  const { entries } = yield* walkLayer({ root, folder: root, behind: [] })
  return entries.every(({ info }) => info.uid === uid && info.gid === gid)
})

type Trial = (overlay: OverlayMounts) => Effect.Effect<void, ToolFailure>

/** The ways to mount an overlay, in the order of trial. */
const overlaysHere = Effect.fnUntraced(function* ({ root, sandbox }: CopyPlaces) {
  if (!(yield* hasOneOwner(root))) return []
  const unshare = yield* sandbox.find("unshare")
  return [
    overlayWay("an overlay by bubblewrap", bubblewrapOverlay),
    ...(unshare === undefined ? [] : [overlayWay("an overlay in a user namespace", namespaceOverlay(unshare))])
  ]
})

/** Identifies the file system of a path, even one that does not exist yet. */
const diskOf = Effect.fnUntraced(function* (place: string) {
  let existing = place
  while (yield* isMissing(existing)) existing = path.dirname(existing)
  return (yield* infoAt(existing))?.dev
})

/**
 * The overlays that worked in this process. Later runs skip the trial, which starts four programs. Each key names what
 * the result depends on: the programs, and the file systems of project and scratch folder.
 */
const workingOverlays = new Map<string, string>()

/** Finds a way to mount an overlay, or says why there is none. */
const findOverlay = Effect.fnUntraced(function* (places: CopyPlaces, scratch: string, trial: Trial) {
  const { root, sandbox } = places
  const programs = [yield* sandbox.find("bwrap"), yield* sandbox.find("unshare")]
  const key = [...programs, yield* diskOf(root), yield* diskOf(scratch)].join("\n")
  const ways = yield* overlaysHere(places)
  const known = ways.find(({ words }) => words === workingOverlays.get(key))
  if (known !== undefined) return known
  let why = "its files belong to several users or groups"
  for (const way of ways) {
    const tried = yield* Effect.result(trial(way.overlay))
    if (tried._tag === "Success") {
      workingOverlays.set(key, way.words)
      return way
    }
    why = tried.failure.message
  }
  return why
})

const chooseWay = (places: CopyPlaces, trial: Trial) =>
  Effect.gen(function* () {
    const { root, sandbox, scratch } = places
    const { sandboxed, why: reason = "" } = yield* sandbox.state
    if (!sandboxed) return none(`there is no sandbox (${reason})`)
    const { path: place } = yield* canonicalPath(root, scratch)
    if (isWithin(root, place)) return none(`${place}, where copies would lie, is in the project`)
    const found = yield* findOverlay(places, place, trial)
    if (typeof found !== "string") return found
    return { mechanism: "copy", words: `a copy of the project; no overlay can be mounted (${found})` } satisfies Way
  }).pipe(Effect.catchTag("ToolFailure", ({ message }) => Effect.succeed(none(message.replace(/\.$/, "")))))

const shownOf = (root: string, copy: WorkingCopy): ShownProject => ({
  root,
  proposals: new Map(
    copy.files().flatMap((file) => {
      const name = path.relative(root, file.path)
      return file.path !== root && isWithin(root, file.path) ? [[name, { ...file, name }] as const] : []
    })
  )
})

export const makeCommandCopies = Effect.fnUntraced(function* (places: CopyPlaces) {
  const { git, root, scratch } = places
  const scope = yield* Effect.scope
  const provide = yield* processProvider
  const helper = yield* makeCopyHelper(places)

  /** Removes the folders of killed processes now, since a resumed run may need no command. */
  yield* provide(removeLeft(scratch))
  const ownScratch = yield* once(provide(Effect.provideService(openScratch(scratch), Scope.Scope, scope)))

  const folderFor = Effect.acquireRelease(
    Effect.flatMap(ownScratch, (folder) =>
      doing("make a folder for a command", () => mkdtemp(path.join(folder, "command-")))
    ),
    removeTree
  )

  const trial = (overlay: OverlayMounts) =>
    Effect.scoped(Effect.flatMap(folderFor, (folder) => provide(tryOverlay(overlay, root, folder, helper))))

  const way = yield* once(provide(chooseWay(places, trial)))

  return {
    state: Effect.map(way, ({ mechanism, words }): CopyState => ({ mechanism, words })),
    /** Runs a command in a copy of its own, and proposes what it wrote. */
    within: (copy: WorkingCopy, run: (mounts: CopyMounts) => Effect.Effect<CopiedRun, ToolFailure>) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { mechanism, overlay, words } = yield* way
          if (mechanism === "none") {
            return yield* failure(`A command cannot see what this task proposes: ${words}. Nothing was run.`)
          }
          const shownCopy = shownOf(root, copy)
          const files = [...shownCopy.proposals.values()]
          const folder = yield* folderFor
          const { ctimeMs: began } = yield* doing("look at the time", () => lstat(folder))
          const endOf = Effect.fnUntraced(function* ({ end, guarded }: CopiedRun, difference: Difference) {
            const built = difference.ignored.map((name) => path.join(difference.folder, name))
            const copied = yield* proposeDifference({ ...shownCopy, copy, began, guarded }, difference)
            return { ...end, copied, reports: yield* testReports(built, began) }
          })
          if (overlay === undefined) {
            yield* doing("make a copy", () => mkdir(path.join(folder, "copy")))
            const mounts = yield* copyProject({ root, copy: path.join(folder, "copy"), git }, files)
            const before = yield* stampsOf(root, path.join(folder, "copy"))
            const ended = yield* run(mounts)
            return yield* endOf(ended, yield* copyDifference(root, path.join(folder, "copy"), before))
          }
          yield* makeLayers({ root, scratch: folder }, files, helper.hide)
          const mounts = overlay({ root, scratch: folder, layers: [changesLayer] })
          const ended = yield* run(mounts)
          const missing = helper.missing(mounts)
          return yield* endOf(ended, yield* overlayDifference({ ...shownCopy, scratch: folder, missing }))
        })
      ).pipe(provide)
  }
})
