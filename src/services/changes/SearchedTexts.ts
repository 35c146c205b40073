/**
 * Reads the files that a search may show. These are files in the project that no rule denies and that contain no
 * secret. Also finds the items of a task in the files that match a pattern, such as `src/*.ts`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { isSecretLike } from "../../domain/files/SensitivePath.ts"
import { type SkippedFile, skippedText, type SkipReason } from "../../domain/files/SkippedFiles.ts"
import type { ToolErrorType } from "../../domain/tools/ToolCall.ts"
import { fileHolds } from "../files/TextFile.ts"
import { isFileAt, Workspace } from "../files/Workspace.ts"
import { Gate, mayRead } from "../permissions/Gate.ts"
import { type Item, itemsOf, readsTexts } from "../../domain/documents/TaskItems.ts"
import { matchesGlob } from "../../domain/files/PathList.ts"
import type { ForEach } from "../../domain/plan/ForEach.ts"

/** The maximum size, in bytes, of a file from which hints for the model are taken. */
export const maxSearchedBytes = 1_048_576

/** The maximum size, in bytes, of a file that replacements and edits change. */
export const maxChangedBytes = 10_485_760

/**
 * The maximum number of project files that are searched for hints to the model. Most searches skip a project with more
 * files.
 */
export const mostSearched = 4000

const filesAtOnce = 16

export interface SearchedText {
  /** The path of the file relative to the project. */
  readonly path: string
  readonly text: string
}

/** The texts of files, and the files that were skipped. */
export interface FileSearch {
  readonly texts: ReadonlyArray<SearchedText>
  readonly skipped: ReadonlyArray<SkippedFile>
}

/** The result of reading one file: its text, the reason to skip it, or undefined if it does not exist. */
type ReadText = { readonly text: string } | { readonly reason: SkipReason } | undefined

const skipReasons: Partial<Record<ToolErrorType, SkipReason>> = {
  output_limit: "large",
  parse_error: "binary"
}

const makeReadText = Effect.gen(function* () {
  const gate = yield* Gate
  const path = yield* Path.Path
  const workspace = yield* Workspace

  /** Reads a file. A link is skipped if its target is listed too. */
  return Effect.fnUntraced(function* (
    writtenPath: string,
    maxBytes: number,
    isListed: (path: string) => boolean = () => false
  ): Effect.fn.Return<ReadText> {
    if (isSecretLike(writtenPath)) return { reason: "secret" }
    const file = yield* Effect.orElseSucceed(workspace.canonical(writtenPath), () => undefined)
    if (file === undefined) return { reason: "unreadable" }
    if (!file.inside) return { reason: "outside" }
    const relative = path.relative(workspace.root, file.path).split(path.sep).join("/")
    if (relative !== writtenPath && isListed(relative)) return undefined
    if (isSecretLike(file.path)) return { reason: "secret" }
    if (!(yield* mayRead(gate)(file.path))) return { reason: "denied" }
    const text = yield* Effect.result(workspace.readText(file.path, maxBytes))
    if (text._tag === "Success") return { text: text.success }
    const reason = skipReasons[text.failure.type]
    if (reason !== undefined) return { reason }
    /** A link to a folder is skipped, because the files in the folder are listed under their own paths. */
    const isUnreadable = text.failure.type === "io_error" && (yield* isFileAt(workspace, file.path))
    return isUnreadable ? { reason: "unreadable" } : undefined
  })
})

export const makeSearchedTexts = Effect.gen(function* () {
  const readText = yield* makeReadText

  /** Returns the texts of those files in `paths` that `isWanted` accepts. Unreadable files are left out. */
  return (paths: ReadonlyArray<string>, isWanted: (text: string) => boolean = () => true) =>
    Effect.forEach(
      paths,
      (path) =>
        Effect.map(readText(path, maxSearchedBytes), (read): ReadonlyArray<SearchedText> =>
          read !== undefined && "text" in read && isWanted(read.text) ? [{ path, text: read.text }] : []
        ),
      { concurrency: filesAtOnce }
    ).pipe(Effect.map((found) => found.flat()))
})

/** The bytes of the pattern in UTF-8 and in UTF-16. They are what a search looks for in binary and large files. */
const bytesOf = (pattern: string): ReadonlyArray<Buffer> => [
  Buffer.from(pattern, "utf8"),
  Buffer.from(pattern, "utf16le")
]

export const makePatternSearch = Effect.gen(function* () {
  const readText = yield* makeReadText
  const fs = yield* FileSystem.FileSystem
  const gate = yield* Gate
  const workspace = yield* Workspace

  /**
   * True for a skipped file that could contain the pattern. If the gate allows reading the file, its bytes are
   * searched. If reading is forbidden or impossible, the result is true.
   */
  const mayHold = Effect.fnUntraced(function* ({ path, reason }: SkippedFile, needles: ReadonlyArray<Buffer>) {
    if (reason === "outside") return false
    if (reason === "secret" || reason === "denied" || reason === "unreadable" || isSecretLike(path)) return true
    const file = yield* Effect.orElseSucceed(workspace.canonical(path), () => undefined)
    if (file?.inside !== true || !(yield* mayRead(gate)(file.path))) return true
    return yield* Effect.provideService(fileHolds(file.path, needles), FileSystem.FileSystem, fs)
  })

  /**
   * Returns the wanted texts of these files, and the unread files that may contain the pattern. The files in
   * `passedOver` are not read as text.
   */
  return Effect.fnUntraced(function* (
    paths: ReadonlyArray<string>,
    passedOver: ReadonlyArray<string>,
    { isWanted, pattern }: { readonly isWanted: (text: string) => boolean; readonly pattern: string }
  ): Effect.fn.Return<FileSearch> {
    const listed = new Set(paths)
    const read = yield* Effect.forEach(
      paths,
      (path) =>
        Effect.map(
          readText(path, maxChangedBytes, (other) => listed.has(other)),
          (one) => ({ path, one: one !== undefined && "text" in one && !isWanted(one.text) ? undefined : one })
        ),
      { concurrency: filesAtOnce }
    )
    const texts = read.flatMap(({ one, path }) =>
      one !== undefined && "text" in one ? [{ path, text: one.text }] : []
    )
    const aside: ReadonlyArray<SkippedFile> = [
      ...read.flatMap(({ one, path }) => (one !== undefined && "reason" in one ? [{ path, reason: one.reason }] : [])),
      ...passedOver.map((path) => ({ path, reason: "passed over" as const }))
    ]
    const needles = bytesOf(pattern)
    return { texts, skipped: yield* Effect.filter(aside, (one) => mayHold(one, needles), { concurrency: filesAtOnce }) }
  })
})

/** The innermost folder that contains all matches of a glob pattern, such as `src/a` for `src/a/*.ts`. */
const folderOfGlob = (pattern: string): string => {
  const plain = pattern.replace(/^(?:\.\/)+/, "").split(/[*?[{!\\]/, 1)[0] ?? ""
  return plain.startsWith("/") ? "" : plain.slice(0, Math.max(0, plain.lastIndexOf("/")))
}

const mostListed = 100_000

/**
 * The items in the files whose paths match a pattern. `notLookedAt` says in sentences which files were not searched.
 */
export interface FoundItems {
  readonly items: ReadonlyArray<Item>
  readonly notLookedAt: string
}

export const makeItemFiles = Effect.gen(function* () {
  const patternSearch = yield* makePatternSearch
  const workspace = yield* Workspace

  return Effect.fnUntraced(function* (forEach: ForEach, pattern: string): Effect.fn.Return<FoundItems> {
    const listing = yield* Effect.option(workspace.treeWithin({ entries: mostListed, below: folderOfGlob(pattern) }))
    const { files, isWhole } = Option.getOrElse(listing, () => ({ files: [], isWhole: false }))
    const paths = files.filter(matchesGlob(pattern))
    const search = { isWanted: () => true, pattern: forEach.containing ?? "" }
    const { skipped, texts } = readsTexts(forEach)
      ? yield* patternSearch(paths, [], search)
      : { skipped: [], texts: paths.map((path) => ({ path, text: "" })) }
    const sentences = [
      ...(skipped.length === 0 ? [] : [`Not looked at: ${skippedText(skipped)}.`]),
      ...(isWhole ? [] : ["Not all folders of the project were looked at."])
    ]
    return { items: itemsOf(forEach, texts), notLookedAt: sentences.join(" ") }
  })
})
