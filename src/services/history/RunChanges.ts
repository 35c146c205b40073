/**
 * Shows, undoes and redoes the file changes of a saved run. Compares the files with their stored versions to find out
 * what is already undone. A second undo can therefore finish an undo that was killed.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { mostKept } from "../../domain/files/FileEntry.ts"
import { type FileKind, kindOfMode } from "../../domain/files/FileKind.ts"
import { gitPatch, type PatchSide } from "../../domain/files/GitPatch.ts"
import { changedFiles, type ChangesOfFile, fileChanges } from "../../domain/history/FileChanges.ts"
import { encodeLike } from "../../domain/text/EncodeLike.ts"
import { decodeFile, decodeText, hasByteOrderMark } from "../../domain/text/TextEncoding.ts"
import { listWithin } from "../../domain/text/Excerpt.ts"
import { userFolders } from "../configuration/UserFolders.ts"
import { canonicalPath, isWithin } from "../files/CanonicalPath.ts"
import { changeFile, removeTemporaryFiles } from "../files/AtomicWrite.ts"
import { type FileVersions, versionsIn } from "../files/FileVersions.ts"
import { binaryPatch } from "../files/BinaryPatch.ts"
import { contentState, textHash } from "../files/Hash.ts"
import { readProof } from "./JournalLayers.ts"
import { inMovedProject, movedTo } from "./MovedProject.ts"
import { RunStore, versionsFolder } from "./RunStore.ts"
import type { JournalRecord } from "../../domain/journal/JournalRecord.ts"
import { fileTools } from "../../domain/tools/ToolCall.ts"
import { readRecords } from "../journal/JournalLine.ts"
import { takeProject } from "../files/ProjectWriteLock.ts"

/**
 * The current state of a changed file: as the run left it, as it was before the run, changed by someone else since, or
 * unknown. The state is unknown if the earlier content was not stored.
 */
export type ChangeState = "made" | "undone" | "changed_since" | "not_kept"

/** A file that a run changed, and the current state of the change. */
export interface RunChange {
  /** The path of the file relative to the project. */
  readonly path: string
  /** Whether the run created, changed or removed the file. */
  readonly kind: "new" | "changed" | "removed"
  /** The new kind of the file, if the run changed it. */
  readonly becomes?: FileKind
  /** True for a binary file, whose lines are not counted. */
  readonly binary?: boolean
  /** Whether the change of the run is still in effect. */
  readonly state: ChangeState
  /** How many lines were added. */
  readonly insertions: number
  /** How many lines were removed. */
  readonly deletions: number
  /** A unified diff for `git apply` in the project folder. Empty if the content was not stored. */
  readonly diff: string
}

/** A file that cannot be undone or redone, and the reason. */
export const RefusedChange = Schema.Struct({
  path: Schema.String,
  why: Schema.String,
  /** A diff from the run's content to the current content, if the file was changed since the run. Otherwise empty. */
  diff: Schema.String
})
export type RefusedChange = typeof RefusedChange.Type

/** Says that the undo was refused. Nothing was changed. */
export class UndoRefused extends Schema.TaggedError<UndoRefused>()("UndoRefused", {
  refused: Schema.Array(RefusedChange)
}) {
  override get message(): string {
    const lines = this.refused.map(({ path, why }) => `- ${path}: ${why}`).join("\n")
    return `Nothing was changed, because of these files:\n${lines}\nName the files that you mean to leave them out.`
  }
}

/** Says that undo or redo is not possible for this run. */
export class NothingToUndo extends Schema.TaggedError<NothingToUndo>()("NothingToUndo", { text: Schema.String }) {
  override get message(): string {
    return this.text
  }
}

/** Changes with their stored versions. `what` names who made the changes. Messages begin with it. */
export interface KeptChanges {
  readonly what: string
  readonly root: string
  readonly changes: ReadonlyArray<ChangesOfFile>
  readonly versions: Pick<FileVersions, "read">
}

/** The calls of a run that may have changed files which the journal does not name. */
const outsideOf = (records: ReadonlyArray<JournalRecord>): ReadonlyArray<string> => [
  ...new Set(
    records.flatMap((record) =>
      record.type === "intent" && !fileTools.has(record.call.name)
        ? [[record.call.name, ...record.targets].join(" ")]
        : []
    )
  )
]

/** The changes of a run with their stored versions. */
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
  const outside = outsideOf(records)
  return { what: `The run ${runId}`, runId, content, root, versions, files, outside, changes: fileChanges(files) }
})

const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && Result.getOrUndefined(decodeFile(bytes))?.text

/**
 * The text of a file for a patch, with its byte order mark. Undefined if the encoding is not UTF-8, because patches are
 * UTF-8.
 */
const patchText = (bytes: Uint8Array): string | undefined => {
  const text = Result.getOrUndefined(decodeText(bytes))
  return text !== undefined && hasByteOrderMark(bytes) ? `\uFEFF${text}` : text
}

/**
 * The current state (`found`) and content (`now`) of a changed file. `now` is absent if there is no readable file or
 * link, or if the file is too large.
 */
const contentAt = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const contentNow = yield* Effect.orElseSucceed(contentState(file), () => "unknown")
  if (contentNow.startsWith("link ")) {
    const bytes = new TextEncoder().encode(yield* Effect.orElseSucceed(fs.readLink(file), () => ""))
    return { found: contentNow, now: { bytes, kind: "link" as const } }
  }
  const info = yield* Effect.option(fs.lstat(file))
  if (!Option.exists(info, ({ size, type }) => type === "File" && Number(size) <= mostKept))
    return { found: contentNow }
  const bytes = yield* Effect.option(fs.readFile(file))
  if (Option.isNone(info) || Option.isNone(bytes)) return { found: contentNow }
  return { found: contentNow, now: { bytes: bytes.value, kind: kindOfMode(info.value.mode) } }
})

/** The current state of a changed file. */
const standingOf = Effect.fnUntraced(function* ({ kind, mode, path, texts, was }: ChangesOfFile) {
  const { found: stateNow, now } = yield* contentAt(path)
  const before = mode === undefined ? undefined : kindOfMode(mode)
  const content = kind === "link" ? now?.bytes : textOf(now?.bytes)
  const hashes =
    now === undefined ? [null] : [...(content === undefined ? [] : [textHash(content)]), textHash(now.bytes)]
  const isMadeText = hashes.some((hash) => texts.includes(hash))
  const isMadeKind = kind === undefined || now === undefined || now.kind === kind || now.kind === before
  const stateOf = (): ChangeState => {
    if (was === undefined) return "not_kept"
    const wanted = was === null ? "absent" : before === "link" ? `link ${was}` : was
    if (stateNow === wanted && (before === undefined || now?.kind === before)) return "undone"
    return isMadeText && isMadeKind && (now !== undefined || stateNow === "absent") ? "made" : "changed_since"
  }
  return { found: stateNow, now, state: stateOf() }
})

/** A file as it was before or after a change. */
interface Side {
  readonly bytes: Uint8Array
  readonly kind: FileKind
}

const patchSide = (side: Side | undefined): PatchSide | undefined => {
  const text = side && patchText(side.bytes)
  return side && { kind: side.kind, ...(text === undefined ? {} : { text }) }
}

/** The patch between two states of a file in git's format. */
const patchBetween = (name: string, before: Side | undefined, after: Side | undefined) => {
  const sides = { before: patchSide(before), after: patchSide(after) }
  const isBinary = Object.values(sides).some((side) => side !== undefined && side.text === undefined)
  const binary = isBinary ? binaryPatch(before?.bytes, after?.bytes) : undefined
  return { ...gitPatch(name, sides, binary), isBinary }
}

/**
 * The bytes of a new text in the encoding of the old file. They must be computed, because stored versions of texts are
 * UTF-8.
 */
const writtenBytes = (old: Uint8Array | undefined, wrote: Uint8Array): Uint8Array => {
  const text = Result.getOrUndefined(decodeText(wrote))
  return text === undefined ? wrote : Result.getOrElse(encodeLike(old, text), () => wrote)
}

/** The file before and after the change; undefined if its content was not stored. */
const sidesOf = Effect.fnUntraced(function* (change: ChangesOfFile, versions: KeptChanges["versions"]) {
  const { kind, mode, was } = change
  const last = change.texts.at(-1) ?? null
  const [old, wrote] = [
    typeof was === "string" ? yield* versions.read(was) : undefined,
    last === null ? undefined : yield* versions.read(last)
  ]
  const isLost = was === undefined || (was !== null && old === undefined) || (last !== null && wrote === undefined)
  if (isLost) return undefined
  const before: Side | undefined = old && { bytes: old, kind: mode === undefined ? "plain" : kindOfMode(mode) }
  const bytes = wrote && writtenBytes(old, wrote)
  const after: Side | undefined = bytes && { bytes, kind: kind ?? before?.kind ?? "plain" }
  return { before, after }
})

const shownChange = Effect.fnUntraced(function* (
  change: ChangesOfFile,
  root: string,
  versions: KeptChanges["versions"]
) {
  const path = yield* Path.Path
  const { state } = yield* standingOf(change)
  const sides = yield* sidesOf(change, versions)
  const name = path.relative(root, change.path).split(path.sep).join("/")
  const kind = change.was === null ? "new" : change.texts.at(-1) === null ? "removed" : "changed"
  const shared = { path: name, kind, ...(change.kind === undefined ? {} : { becomes: change.kind }) } as const
  if (sides === undefined) {
    return { ...shared, state: "not_kept", insertions: 0, deletions: 0, diff: "" } satisfies RunChange
  }
  const { added, diff, isBinary, removed } = patchBetween(name, sides.before, sides.after)
  const binary = isBinary ? { binary: true } : {}
  return { ...shared, ...binary, state, insertions: added, deletions: removed, diff } satisfies RunChange
})

/** True for a file that has other content or another kind than before the run. */
const isLasting = ({ kind, texts, was }: ChangesOfFile): boolean => texts.at(-1) !== was || kind !== undefined

/** The changes of each file. */
export const shownChanges = ({ changes, root, versions }: KeptChanges) =>
  Effect.forEach(changes.filter(isLasting), (one) => shownChange(one, root, versions))

export const patchOf = (changes: ReadonlyArray<RunChange>): string =>
  changes
    .map(({ diff }) => diff.replace(/[^\n]$/, "$&\n"))
    .join("")
    .replace(/\n$/, "")

/**
 * The changes of each file, and the calls with unknown effects. `moved` is the current folder of the project, if the
 * user names this folder.
 */
export const changesOfRun = Effect.fn("changesOfRun")(function* (run: string, moved?: string) {
  const opened = yield* openChanges(run, moved)
  const { outside, root, runId } = opened
  return { runId, project: root, changes: yield* shownChanges(opened), outside }
})

/** A request to undo or redo changes. */
export interface UndoRequest {
  /**
   * The files or folders whose changes should be undone or redone. Paths are absolute, or relative to the project or to
   * `from`. Empty means all changes.
   */
  readonly paths?: ReadonlyArray<string>
  /** A folder to which paths may be relative. */
  readonly from?: string
  /** True to make undone changes again. */
  readonly redo?: boolean
  /** The current folder of the project, if the project was moved. */
  readonly moved?: string | undefined
}

/** Removes the empty folders that a run created for a file. */
const removeFolders = Effect.fnUntraced(function* (file: string, outermost: string | undefined) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  if (outermost === undefined) return
  for (let at = path.dirname(file); isWithin(outermost, at); at = path.dirname(at)) {
    if ((yield* fs.readDirectory(at)).length > 0) return
    yield* fs.remove(at, { recursive: true })
  }
})

/** A change to undo or redo, with the content that results from it. The content is null for a removal. */
interface Step {
  readonly change: ChangesOfFile
  readonly stateBefore: string
  readonly next: string | Uint8Array | null
  readonly redo: boolean
}

/** The kind or mode that the undo or redo gives the file. */
const becomes = ({ change: { goes, kind, mode }, redo }: Step) => {
  if (redo) return { ...(kind === undefined ? {} : { kind }), ...(goes === undefined ? {} : { folder: goes }) }
  if (mode === undefined) return {}
  return kindOfMode(mode) === "link" ? { kind: "link" as const } : { mode: mode & 0o7777 }
}

const carryOut = Effect.fnUntraced(function* (step: Step) {
  const { change, stateBefore: stateNow, next } = step
  const after = becomes(step)
  const isLink = "kind" in after && after.kind === "link"
  const text = isLink && next !== null && typeof next !== "string" ? new TextDecoder().decode(next) : next
  /** Removes a link before writing a text in its place. Otherwise, the write would change the link's target. */
  const isReplaced = stateNow.startsWith("link ") && !isLink && next !== null
  if (isReplaced) yield* changeFile(change.path, null, { found: stateNow })
  yield* changeFile(change.path, text, { found: isReplaced ? "absent" : stateNow, ...after })
})

/**
 * Selects the requested changes. If someone else wrote to a file between two changes of the run, only the later change
 * counts.
 */
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

/**
 * Undoes or redoes all requested changes. If one of them is refused, none is made. Skips files that already have the
 * requested state. Returns the paths of the written files.
 */
export const undoChanges = Effect.fn("undoChanges")(function* (kept: KeptChanges, request: UndoRequest) {
  const path = yield* Path.Path
  const { root, versions } = kept
  const { redo = false } = request
  const refused: Array<RefusedChange> = []
  const steps: Array<Step> = []
  const all = yield* chosen(kept, request)
  for (const change of all) {
    const { found: stateNow, now, state } = yield* standingOf(change)
    if (state === (redo ? "made" : "undone")) continue
    const name = path.relative(root, change.path)
    const sides = yield* sidesOf(change, versions)
    const side = redo ? sides?.after : sides?.before
    /** A text is written as a string, because this keeps the byte order mark of the file. */
    const isText = redo && side !== undefined && !hasByteOrderMark(side.bytes)
    const next = side === undefined ? null : isText ? (textOf(side.bytes) ?? side.bytes) : side.bytes
    const place = yield* Effect.result(canonicalPath(root, path.dirname(change.path)))
    const isThere = Result.isSuccess(place) && place.success.inside && place.success.path === path.dirname(change.path)
    const refuse = (why: string, diff = "") => void refused.push({ path: name, why, diff })
    if (!isThere) refuse("its path leads elsewhere now")
    else if (state === "changed_since") refuse("it was changed since", patchBetween(name, sides?.after, now).diff)
    else if (sides === undefined) refuse(`what it held ${redo ? "then" : "before"} is not kept`)
    else steps.push({ change, stateBefore: stateNow, next, redo })
  }
  if (refused.length > 0) return yield* new UndoRefused({ refused })
  yield* Effect.forEach(steps, carryOut, { discard: true })
  /** Also removes folders that remain from a killed undo. */
  if (!redo)
    yield* Effect.forEach(all, ({ folder, path: file }) => Effect.ignore(removeFolders(file, folder)), {
      discard: true
    })
  return steps.map(({ change }) => path.relative(root, change.path))
})

/** Undoes or redoes changes of a run while holding the lock of its project. See `undoChanges`. */
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
  yield* removeTemporaryFiles(opened.files)
  const paths = opened.changes.length === 0 ? [] : yield* undoChanges(opened, request)
  return { runId, project: root, paths, outside: opened.outside, hasChanges: opened.changes.some(isLasting) }
}, Effect.scoped)
