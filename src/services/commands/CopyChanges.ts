/**
 * Finds what a command wrote in its working copy and proposes it: text files that git does not ignore, their executable
 * flag, and new links within the project.
 */
import { chmod, readdir, readlink } from "node:fs/promises"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type FileKind, kindOfMode } from "../../domain/files/FileKind.ts"
import { isBelow } from "../../domain/files/PathList.ts"
import { encodeLike } from "../../domain/text/EncodeLike.ts"
import { decodeFile, hasByteOrderMark } from "../../domain/text/TextEncoding.ts"
import type { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { canonicalPath } from "../files/CanonicalPath.ts"
import { listTree, maxTreeEntries } from "../files/FileTree.ts"
import { readFileBytes } from "../files/TextFile.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import type { WorkingCopy } from "../files/WorkingCopy.ts"
import { entryAt, type LayerEntry, walkLayer } from "./LayerWalk.ts"
import { changesLayer, type NamedProposal } from "./ProjectCopy.ts"

/** The maximum size, in bytes, of a proposed file. */
const maxBytes = 1_048_576

export interface ShownProject {
  readonly root: string
  /** The proposals of the task, by name relative to the project. */
  readonly proposals: ReadonlyMap<string, NamedProposal>
}

/** The changes of a command, by names relative to the project. */
export interface Difference {
  readonly folder: string
  readonly written: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
  /** Changed links, devices, pipes and sockets. */
  readonly others: ReadonlyArray<string>
  /** Changed paths that git ignores or a build generates. */
  readonly ignored: ReadonlyArray<string>
}

const wasFile = Effect.fnUntraced(function* ({ proposals, root }: ShownProject, name: string) {
  const proposal = proposals.get(name)
  return proposal === undefined ? (yield* entryAt(path.join(root, name)))?.isFile() === true : proposal.text !== null
})

const filesBelow = Effect.fnUntraced(function* ({ proposals, root }: ShownProject, folders: ReadonlyArray<string>) {
  if (folders.length === 0) return []
  const names = new Set(yield* listTree(root, maxTreeEntries))
  for (const { name, text } of proposals.values()) {
    if (text === null) names.delete(name)
    else names.add(name)
  }
  return [...names].filter((name) => folders.some((folder) => isBelow(folder, name)))
})

interface OverlayEnd extends ShownProject {
  readonly scratch: string
  /** Returns those of the names that the overlay does not contain. */
  readonly missing: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, ToolFailure>
}

/**
 * Finds one entry of this folder that existed before the command and is not in the top layer. If the overlay does not
 * show this entry, the command removed and recreated the folder. Empty if there is no such entry.
 */
const probeIn = Effect.fnUntraced(function* (folder: string, end: OverlayEnd, top: ReadonlySet<string>) {
  for (const tree of [path.join(end.scratch, changesLayer), end.root]) {
    const names = yield* Effect.orElseSucceed(
      Effect.tryPromise(() => readdir(path.join(tree, folder))),
      () => []
    )
    const kept = names
      .map((one) => path.join(folder, one))
      .find((name) => !top.has(name) && end.proposals.get(name)?.text !== null)
    if (kept !== undefined) return [kept]
  }
  return []
})

/** Finds what the command wrote into the top layer of an overlay. */
export const overlayDifference = Effect.fn("overlayDifference")(function* (end: OverlayEnd) {
  const { missing, root, scratch } = end
  const folder = path.join(scratch, "upper")
  const { entries, ignored } = yield* walkLayer({ root, folder, behind: [path.join(scratch, changesLayer)] })
  const ofKind = (kind: LayerEntry["kind"]) => entries.filter((one) => one.kind === kind).map(({ name }) => name)
  const [written, folders, others, gone] = [ofKind("file"), ofKind("folder"), ofKind("other"), ofKind("gone")]
  const top = new Set([...entries.map(({ name }) => name), ...ignored])
  const probes = new Map<string, string>()
  for (const one of folders) for (const probe of yield* probeIn(one, end, top)) probes.set(probe, one)
  const anew = (yield* missing([...probes.keys()])).flatMap((probe) => probes.get(probe) ?? [])
  const removed = yield* Effect.filter([...gone, ...folders], (name) => wasFile(end, name))
  const covered = yield* Effect.filter([...gone, ...written], (name) => Effect.map(wasFile(end, name), (was) => !was))
  const doubtful = (yield* filesBelow(end, [...anew, ...covered])).filter((name) => !top.has(name))
  return { folder, written, removed: [...removed, ...(yield* missing(doubtful))], others, ignored } satisfies Difference
})

const walkCopy = Effect.fnUntraced(function* (root: string, folder: string) {
  const { entries, ignored } = yield* walkLayer({ root, folder, behind: [] })
  const stamps = entries
    .filter(({ kind }) => kind !== "folder")
    .map(({ info, kind, name }) => [name, `${kind} ${info.ino} ${info.size} ${info.mtimeMs} ${info.ctimeMs}`] as const)
  return { stamps: new Map(stamps), ignored }
})

/** The stamps of all files in a copy. A changed file has another stamp. */
export const stampsOf = (root: string, folder: string) => Effect.map(walkCopy(root, folder), ({ stamps }) => stamps)

export const copyDifference = Effect.fn("copyDifference")(function* (
  root: string,
  folder: string,
  before: ReadonlyMap<string, string>
) {
  const { ignored, stamps: after } = yield* walkCopy(root, folder)
  const changed = [...after].filter(([name, stamp]) => before.get(name) !== stamp)
  /** True for a path that git ignores now, perhaps because the command changed the rules. The file may still exist. */
  const isLeftOut = (name: string) => ignored.some((one) => one === name || isBelow(one, name))
  return {
    folder,
    written: changed.filter(([, stamp]) => stamp.startsWith("file ")).map(([name]) => name),
    removed: [...before.keys()].filter((name) => !after.has(name) && !isLeftOut(name)),
    others: changed.filter(([, stamp]) => !stamp.startsWith("file ")).map(([name]) => name),
    ignored
  } satisfies Difference
})

type FoundText = { readonly text: string | null; readonly bytes?: Uint8Array } | { readonly why: string }

/** The text of a file; null if there is no file. `why` is the reason if the file cannot be proposed. */
const textAt = Effect.fnUntraced(function* (file: string) {
  const info = yield* entryAt(file)
  if (info === undefined || info.isDirectory()) return { text: null } satisfies FoundText
  return yield* Effect.match(readFileBytes(file, maxBytes), {
    onFailure: ({ type }): FoundText => ({ why: type === "output_limit" ? "larger than 1 MB" : "unreadable" }),
    onSuccess: (bytes): FoundText => {
      const decoded = decodeFile(bytes)
      return Result.isSuccess(decoded) ? { text: decoded.success.text, bytes } : { why: "binary" }
    }
  })
})

const withoutMark = (bytes: Uint8Array): Buffer => Buffer.from(hasByteOrderMark(bytes) ? bytes.subarray(3) : bytes)

/**
 * True if `bytes` are `text` in the encoding of the old content `before`. A byte order mark of UTF-8 makes no
 * difference.
 */
const isWrittenLike = (before: Uint8Array | undefined, text: string, bytes: Uint8Array): boolean => {
  const encoded = encodeLike(before, text)
  return Result.isSuccess(encoded) && withoutMark(encoded.success).equals(withoutMark(bytes))
}

/** What a command changed in its working copy, by names relative to the project. */
export interface CopyEnd {
  /** Files that the task now proposes. */
  readonly proposed: ReadonlyArray<string>
  /** Files that are not proposed, with the reasons. */
  readonly leftOut: ReadonlyArray<string>
}

interface Harvest extends ShownProject {
  readonly copy: WorkingCopy
  /** The time when the command began, in milliseconds of the file system's clock. */
  readonly began: number
  /** The paths that the sandbox protected from changes by the command. */
  readonly guarded: ReadonlyArray<string>
}

export const proposeDifference = Effect.fn("proposeDifference")(function* (harvest: Harvest, difference: Difference) {
  const { began, copy, guarded, proposals, root } = harvest
  const proposed: Array<string> = []
  const leftOut: Array<string> = []

  const propose = Effect.fnUntraced(function* (file: ProposedFile, name: string) {
    if (copy.get(file.path)?.text !== proposals.get(name)?.text) return "changed by something else meanwhile"
    const info = yield* entryAt(file.path)
    if (info !== undefined && info.ctimeMs > began) return "changed in the project meanwhile"
    copy.propose(file)
    proposed.push(name)
    return undefined
  })

  /** Proposes the change of one file. Returns undefined, or the reason if the change cannot be proposed. */
  const take = Effect.fnUntraced(function* (name: string, isThere: boolean) {
    const place = path.join(root, name)
    const before = proposals.get(name)
    const inProject = yield* textAt(place)
    if (before === undefined && "why" in inProject) return inProject.why
    const base = before === undefined && "text" in inProject ? inProject.text : (before?.base ?? null)
    const file = path.join(difference.folder, name)
    const there = yield* entryAt(place)
    const kindBefore = before?.kind ?? (there === undefined ? "plain" : kindOfMode(there.mode))
    const kind: FileKind = kindOfMode((isThere ? yield* entryAt(file) : undefined)?.mode ?? 0)
    /** The command may have left an unreadable file. */
    if (isThere) yield* Effect.ignore(Effect.tryPromise(() => chmod(file, 0o600)))
    const written = isThere ? yield* textAt(file) : { text: null }
    if ("why" in written) return written.why
    const replacedBytes = "bytes" in inProject ? inProject.bytes : undefined
    if (written.text !== null && written.bytes !== undefined) {
      if (!isWrittenLike(replacedBytes, written.text, written.bytes)) return "written in another encoding"
    }
    const isSameKind = written.text === null || kind === kindBefore
    if (written.text === (before === undefined ? base : before.text) && isSameKind) return undefined
    return yield* propose({ path: place, base, text: written.text, ...(isSameKind ? {} : { kind }) }, name)
  })

  /** Proposes a new link within the project, at a path where nothing was. */
  const takeLink = Effect.fnUntraced(function* (name: string) {
    const place = path.join(root, name)
    const text = yield* Effect.orElseSucceed(
      Effect.tryPromise(() => readlink(path.join(difference.folder, name))),
      () => undefined
    )
    const isNew = proposals.get(name) === undefined && (yield* entryAt(place)) === undefined
    if (text === undefined || !isNew) return "no regular file"
    const leads = yield* Effect.option(canonicalPath(root, path.resolve(path.dirname(place), text)))
    if (path.isAbsolute(text) || !Option.exists(leads, ({ inside }) => inside)) return "a link out of the project"
    return yield* propose({ path: place, base: null, text, kind: "link" }, name)
  })

  const isGuarded = (name: string) =>
    guarded.some((one) => one === path.join(root, name) || isBelow(one, path.join(root, name)))
  const each = Effect.fnUntraced(function* (
    names: ReadonlyArray<string>,
    work: (name: string) => Effect.Effect<string | undefined, never, FileSystem.FileSystem>
  ) {
    for (const name of names.filter((one) => !isGuarded(one))) {
      const why = yield* work(name)
      if (why !== undefined) leftOut.push(`${name} (${why})`)
    }
  })
  yield* each(difference.written, (name) => take(name, true))
  yield* each(difference.removed, (name) => take(name, false))
  yield* each(difference.others, takeLink)
  return { proposed: proposed.toSorted(), leftOut: leftOut.toSorted() } satisfies CopyEnd
})
