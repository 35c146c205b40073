/**
 * The changes of a saved run: what it changed in the files of its project, and undoing it or making it again. Which files
 * are as the run left them is seen from the files alone, so an undo that was killed is finished by another one.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { gitChange } from "../domain/files/ChangePreview.ts"
import { changedFiles, type FileChange, fileChanges } from "../domain/history/FileChanges.ts"
import { decodeText } from "../domain/text/TextEncoding.ts"
import { listWithin } from "../domain/text/Excerpt.ts"
import { userFolders } from "../services/configuration/UserFolders.ts"
import { canonicalPath, isWithin } from "../services/files/CanonicalPath.ts"
import { removeLeftovers, replaceFile } from "../services/files/AtomicWrite.ts"
import { type FileVersions, mostKept, versionsIn } from "../services/files/FileVersions.ts"
import { contentState, textHash } from "../services/files/Hash.ts"
import { readTextFile } from "../services/files/TextFile.ts"
import { inMovedProject, readProof } from "../services/history/RunJournal.ts"
import { RunStore, versionsFolder } from "../services/history/RunStore.ts"
import { readRecords } from "../services/journal/JournalLine.ts"
import { takeProject } from "../services/journal/ProjectLock.ts"
import { movedTo } from "./savedRuns.ts"

/**
 * How a changed file is now: as the run left it, as it was before, changed by somebody else since, or unknown, because what
 * was there before is not kept.
 */
export type ChangeState = "made" | "undone" | "changed_since" | "not_kept"

/** What a run changed in a file. */
export interface RunChange {
  /** Relative to the project. */
  readonly path: string
  readonly kind: "new" | "changed"
  readonly state: ChangeState
  readonly insertions: number
  readonly deletions: number
  /** A unified diff that `git apply` takes in the folder of the project; empty when nothing is kept. */
  readonly diff: string
}

/** A file that cannot be undone, or made again, and why. */
export const RefusedChange = Schema.Struct({
  path: Schema.String,
  why: Schema.String,
  /** What the file has now that the run did not write. */
  diff: Schema.String
})
export type RefusedChange = typeof RefusedChange.Type

/** Nothing was undone. */
export class UndoRefused extends Schema.TaggedError<UndoRefused>()("UndoRefused", {
  refused: Schema.Array(RefusedChange)
}) {
  override get message(): string {
    const lines = this.refused.map(({ path, why }) => `- ${path}: ${why}`).join("\n")
    return `Nothing was changed, because of these files:\n${lines}\nName the files that you mean to leave them out.`
  }
}

/** What was asked for cannot be done with this run. */
export class NothingToUndo extends Schema.TaggedError<NothingToUndo>()("NothingToUndo", { text: Schema.String }) {
  override get message(): string {
    return this.text
  }
}

/** Changes with what is kept of them; `what` names who made them, at the beginning of a sentence. */
export interface KeptChanges {
  readonly what: string
  readonly root: string
  readonly changes: ReadonlyArray<FileChange>
  readonly versions: Pick<FileVersions, "read">
}

/** The changes of a run with what is kept of them. */
const openChanges = Effect.fnUntraced(function* (run: string, moved?: string) {
  const path = yield* Path.Path
  const store = yield* RunStore
  const runId = yield* store.find(run, moved)
  const content = yield* store.read(runId)
  const project = moved ?? movedTo(content.lines) ?? content.opened.project
  const lines = yield* inMovedProject(content.lines, project)
  const records = readRecords(lines.filter(({ type }) => type === "intent" || type === "outcome"))
  const versions = yield* versionsIn(versionsFolder(path, store.pathOf(runId)))
  const root = yield* Effect.orElseSucceed((yield* FileSystem.FileSystem).realPath(project), () => project)
  const files = changedFiles(records)
  return { what: `The run ${runId}`, runId, content, root, versions, files, changes: fileChanges(files) }
})

const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && Result.getOrUndefined(decodeText(bytes))

/** How the file of a change is now, with its text. */
const standingOf = Effect.fnUntraced(function* ({ path, texts, was }: FileChange) {
  const found = yield* Effect.orElseSucceed(contentState(path), () => "unknown")
  const text = yield* Effect.orElseSucceed(readTextFile(path, mostKept), () => undefined)
  const stateOf = (): ChangeState => {
    if (was === undefined) return "not_kept"
    if (found === (was ?? "absent")) return "undone"
    return text !== undefined && texts.includes(textHash(text)) ? "made" : "changed_since"
  }
  return { found, text, state: stateOf() }
})

const shownChange = Effect.fnUntraced(function* (change: FileChange, root: string, versions: KeptChanges["versions"]) {
  const path = yield* Path.Path
  const { state } = yield* standingOf(change)
  const name = path.relative(root, change.path)
  const kind = change.was === null ? "new" : "changed"
  const before = typeof change.was === "string" ? yield* versions.read(change.was) : undefined
  const after = yield* versions.read(change.texts.at(-1) ?? "")
  const isLost = after === undefined || change.was === undefined || (change.was !== null && before === undefined)
  if (isLost) {
    return { path: name, kind, state: "not_kept", insertions: 0, deletions: 0, diff: "" } satisfies RunChange
  }
  const [old, now] = [textOf(before), textOf(after)]
  if (now === undefined || (before !== undefined && old === undefined)) {
    const diff = `diff --git a/${name} b/${name}\nBinary files a/${name} and b/${name} differ\n`
    return { path: name, kind, state, insertions: 0, deletions: 0, diff } satisfies RunChange
  }
  const { added, diff, removed } = gitChange(name, old, now)
  return { path: name, kind, state, insertions: added, deletions: removed, diff } satisfies RunChange
})

/** What was changed, file by file. */
export const shownChanges = ({ changes, root, versions }: KeptChanges) =>
  Effect.forEach(
    changes.filter(({ texts, was }) => texts.at(-1) !== was),
    (one) => shownChange(one, root, versions)
  )

/** The changes as one patch. */
export const patchOf = (changes: ReadonlyArray<RunChange>): string =>
  changes
    .map(({ diff }) => diff.replace(/\n?$/, "\n"))
    .join("")
    .trimEnd()

/** What a run changed, file by file. `moved` is where its project is now, if a person says so. */
export const changesOfRun = Effect.fn("changesOfRun")(function* (run: string, moved?: string) {
  const opened = yield* openChanges(run, moved)
  return { runId: opened.runId, project: opened.root, changes: yield* shownChanges(opened) }
})

/** What is undone. */
export interface UndoRequest {
  /** Files or folders, absolute or relative to the project or to `from`; all changes without any. */
  readonly paths?: ReadonlyArray<string>
  /** The folder that paths may start from. */
  readonly from?: string
  /** Makes the changes again that were undone. */
  readonly redo?: boolean
  /** Where the project is now, if it was moved. */
  readonly moved?: string | undefined
}

/** Removes the folders that a run made for a file and that are empty. */
const removeFolders = Effect.fnUntraced(function* (file: string, outermost: string | undefined) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  if (outermost === undefined) return
  for (let at = path.dirname(file); isWithin(outermost, at); at = path.dirname(at)) {
    if ((yield* fs.readDirectory(at)).length > 0) return
    yield* fs.remove(at, { recursive: true })
  }
})

/** A change that can be undone, or made again, with what the file holds then; nothing for a file that goes. */
interface Step {
  readonly change: FileChange
  readonly found: string
  readonly next: string | Uint8Array | undefined
}

const carryOut = Effect.fnUntraced(function* ({ change, found, next }: Step) {
  if (next !== undefined) return yield* replaceFile(change.path, next, { found })
  yield* (yield* FileSystem.FileSystem).remove(change.path)
  yield* Effect.ignore(removeFolders(change.path, change.folder))
})

/** The changes that are named; only the last of several of one file, between which somebody else wrote. */
const chosen = Effect.fnUntraced(function* (
  { changes, root, what }: KeptChanges,
  { from = root, paths = [] }: UndoRequest
) {
  const path = yield* Path.Path
  const last = [...new Map(changes.map((change) => [change.path, change])).values()]
  if (last.length === 0) return yield* new NothingToUndo({ text: `${what} changed no file.` })
  const isIn = (file: string, given: string): boolean =>
    [path.resolve(from, given), path.resolve(root, given)].some((one) => isWithin(one, file))
  const unknown = paths.find((given) => !last.some((change) => isIn(change.path, given)))
  if (unknown !== undefined) {
    const names = last.map((change) => path.relative(root, change.path))
    const all = listWithin(names, 400, (count) => `and ${count} more`).text.replaceAll("\n", ", ")
    return yield* new NothingToUndo({ text: `${what} did not change ${unknown}. It changed: ${all}.` })
  }
  return paths.length === 0 ? last : last.filter((change) => paths.some((given) => isIn(change.path, given)))
})

/** Undoes changes, all that are named or none; files that are so already are left out. Gives the paths that were written. */
export const undoChanges = Effect.fn("undoChanges")(function* (kept: KeptChanges, request: UndoRequest) {
  const path = yield* Path.Path
  const { root, versions } = kept
  const { redo = false } = request
  const refused: Array<RefusedChange> = []
  const steps: Array<Step> = []
  for (const change of yield* chosen(kept, request)) {
    const { found, state, text } = yield* standingOf(change)
    if (state === (redo ? "made" : "undone")) {
      if (!redo) yield* Effect.ignore(removeFolders(change.path, change.folder))
      continue
    }
    const name = path.relative(root, change.path)
    const wrote = yield* versions.read(change.texts.at(-1) ?? "")
    const before = typeof change.was === "string" ? yield* versions.read(change.was) : undefined
    /* As a text it gets the byte order mark that the file has. */
    const next = redo ? (textOf(wrote) ?? wrote) : before
    const place = yield* Effect.result(canonicalPath(root, change.path))
    const isThere = Result.isSuccess(place) && place.success.inside && place.success.path === change.path
    const refuse = (why: string, diff = "") => void refused.push({ path: name, why, diff })
    if (!isThere) refuse("its path leads elsewhere now")
    else if (state === "changed_since") {
      const [written, now] = [textOf(wrote), text]
      refuse(
        "it was changed since",
        written === undefined || now === undefined ? "" : gitChange(name, written, now).diff
      )
    } else if (state === "not_kept" || (next === undefined && (redo || change.was !== null))) {
      refuse(`what it held ${redo ? "then" : "before"} is not kept`)
    } else steps.push({ change, found, next })
  }
  if (refused.length > 0) return yield* new UndoRefused({ refused })
  yield* Effect.forEach(steps, carryOut, { discard: true })
  return steps.map(({ change }) => path.relative(root, change.path))
})

/** Undoes what a run changed, under the lock of its project; see `undoChanges`. */
export const undoRun = Effect.fn("undoRun")(function* (run: string, request: UndoRequest = {}) {
  const opened = yield* openChanges(run, request.moved)
  const { content, root, runId } = opened
  const { locks } = yield* userFolders(root)
  const proof = yield* readProof(content, locks)
  if (content.lines.some(({ seq, type }) => type === "intent" && (proof === undefined || seq < proof.from))) {
    const text = `The journal of ${runId} is not proven to be yours: another person or machine wrote or changed it. Look at the changes with diff, and take them back by hand.`
    return yield* new NothingToUndo({ text })
  }
  yield* takeProject({ project: root, runId, locks })
  yield* removeLeftovers(opened.files)
  return { runId, project: root, paths: yield* undoChanges(opened, request) }
}, Effect.scoped)
