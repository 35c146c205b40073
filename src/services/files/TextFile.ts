/**
 * Reads text files with limits. Checks the type of a file before opening it, its size while reading it, and that its
 * bytes are text in a known encoding.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as path from "node:path"
import * as Result from "effect/Result"
import { compareCodePoints } from "../../domain/text/CodePointOrder.ts"
import type { LineRange } from "../../domain/text/LineRange.ts"
import { decodeFile, type DecodedText, decodeText, utf16Mark } from "../../domain/text/TextEncoding.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { entriesIn, isMissing } from "./FileLook.ts"
import { fileOperation, notFound } from "./FileFailure.ts"
import { openDirectory } from "./DirectoryHandle.ts"
import { specialKind } from "./CanonicalPath.ts"

const chunkBytes = 262_144
/** The minimum number of bytes to read at once. The reported size of a file may be too small. */
const smallestChunk = 4096

/** After how many bytes the search for a line stops. */
const maxScanned = 268_435_456

const megabytes = (bytes: number): string =>
  bytes < 1_048_576 ? `${bytes} bytes` : `${Math.round(bytes / 104_857.6) / 10} MB`

const overLimit = (message: string) => new ToolFailure({ type: "output_limit", message })

export const tooLarge = (file: string, maxBytes: number): ToolFailure =>
  overLimit(`${file} is larger than ${megabytes(maxBytes)}. Search it, or name a smaller file.`)

const tooManyLines = (file: string, { from, to }: LineRange, maxBytes: number): ToolFailure =>
  overLimit(`The lines ${from} to ${to} of ${file} have more than ${megabytes(maxBytes)}. Name fewer lines.`)

const notReached = (file: string, line: number): ToolFailure =>
  overLimit(`${file} has no line ${line} within its first ${megabytes(maxScanned)}.`)

/** The failure for a folder, with suggested files in it. */
const folderFailure = Effect.fnUntraced(function* (folder: string) {
  const files = (yield* entriesIn(folder))
    .filter((entry) => entry.type === "File")
    .map((entry) => path.join(folder, entry.name))
  const named = files.sort(compareCodePoints).slice(0, 5).join(", ")
  const hint = named === "" ? "It holds no files itself." : `Name a file in it: ${named}.`
  return new ToolFailure({ type: "io_error", message: `${folder} is a folder, not a file. ${hint}` })
})

const requireRegular = Effect.fnUntraced(function* (file: string, info: FileSystem.File.Info) {
  if (info.type === "Directory") return yield* yield* folderFailure(file)
  const special = yield* specialKind(file, info)
  if (special === undefined) return
  const message = `${file} is ${special}. Only regular files can be read.`
  return yield* new ToolFailure({ type: "io_error", message })
})

/** Opens a file through a handle of its folder. If the system can, links are not followed. */
const openSafely = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* openDirectory(path.dirname(file))
  const reach = path.join(folder.path, path.basename(file))
  return yield* Effect.catchTag(fs.open(reach, { noFollow: true }), "PlatformError", (error) =>
    error.reason._tag === "BadArgument" ? fs.open(reach) : Effect.fail(error)
  )
})

/** Opens a regular file until the scope closes. Checks its type before and after opening it. */
const openRegular = Effect.fnUntraced(function* (file: string) {
  if (yield* isMissing(file)) return yield* notFound(file)
  const fs = yield* FileSystem.FileSystem
  const before = yield* fs.lstat(file)
  yield* requireRegular(file, before)
  const handle = yield* openSafely(file)
  const after = yield* handle.stat
  if (after.type !== "File") yield* requireRegular(file, after)
  return { handle, size: Number(before.size) }
})

const closing = (file: string) => fileOperation("read", file)

/** All bytes of a regular file, counted while reading, because the reported size may be wrong. */
const readBytes = Effect.fnUntraced(function* (file: string, maxBytes: number) {
  const { handle, size } = yield* openRegular(file)
  if (size > maxBytes) return yield* tooLarge(file, maxBytes)
  const chunks: Array<Uint8Array> = []
  let total = 0
  while (true) {
    const chunk = yield* handle.readAlloc(Math.min(Math.max(size - total, smallestChunk), chunkBytes))
    if (Option.isNone(chunk)) return Buffer.concat(chunks, total)
    chunks.push(chunk.value)
    total += chunk.value.length
    if (total > maxBytes) return yield* tooLarge(file, maxBytes)
  }
})

/** All bytes of a regular file, text or not. Fails above `maxBytes`. */
export const readFileBytes = Effect.fn("readFileBytes")((file: string, maxBytes: number) =>
  readBytes(file, maxBytes).pipe(closing(file))
)

/**
 * Finds the start of `wantedLine` in a chunk that begins in the line `line`. If the chunk ends earlier, returns its end
 * and the number of its last line.
 */
const seekLine = (
  chunk: Uint8Array,
  line: number,
  wantedLine: number
): { readonly at: number; readonly line: number } => {
  let at = 0
  while (line < wantedLine) {
    const end = chunk.indexOf(10, at)
    if (end === -1) return { at: chunk.length, line }
    at = end + 1
    line += 1
  }
  return { at, line }
}

/** The bytes of some lines of a file of any size. Fails above `maxBytes`. */
const readLineBytes = Effect.fnUntraced(function* (file: string, { from, to }: LineRange, maxBytes: number) {
  const { handle } = yield* openRegular(file)
  const chunks: Array<Uint8Array> = []
  let total = 0
  let line = 1
  let endsWithLine = false
  for (let scanned = 0; line <= to;) {
    const next = yield* handle.readAlloc(chunkBytes)
    if (Option.isNone(next)) break
    scanned += next.value.length
    endsWithLine = next.value.at(-1) === 10
    if (scanned > maxScanned) return yield* notReached(file, from)
    const first = seekLine(next.value, line, from)
    const rest = next.value.subarray(first.at)
    const end = seekLine(rest, first.line, to + 1)
    line = end.line
    total += end.at
    if (total > maxBytes) return yield* tooManyLines(file, { from, to }, maxBytes)
    if (end.at > 0) chunks.push(rest.subarray(0, end.at))
  }
  return { bytes: Buffer.concat(chunks, total), lines: endsWithLine ? line - 1 : line }
})

const decode = (file: string, bytes: Uint8Array): Effect.Effect<DecodedText, ToolFailure> =>
  Effect.fromResult(decodeFile(bytes)).pipe(
    Effect.mapError((why) => new ToolFailure({ type: "parse_error", message: `${file} is not text: ${why}.` }))
  )

/** A text file at a canonical path, with its encoding. Fails as `Workspace.readText` describes. */
export const readDecodedFile = Effect.fn("readDecodedFile")(function* (file: string, maxBytes: number) {
  return yield* decode(file, yield* closing(file)(readBytes(file, maxBytes)))
})

/** The text of a file without its encoding. */
export const readTextFile = (file: string, maxBytes: number) =>
  Effect.map(readDecodedFile(file, maxBytes), ({ text }) => text)

/** The lines of a proposed text, as `readTextLines` returns lines of a file. */
export const linesOfText = Effect.fnUntraced(function* (
  file: string,
  text: string,
  range: LineRange,
  maxBytes: number
) {
  const lines = text.replace(/\r?\n$/, "").split("\n")
  const taken = lines.slice(range.from - 1, range.to).join("\n")
  if (Buffer.byteLength(taken) > maxBytes) return yield* tooManyLines(file, range, maxBytes)
  return range.from > lines.length ? yield* beyondEnd(file, range, lines.length) : taken.replace(/\r$/, "")
})

const beyondEnd = (file: string, { from }: LineRange, lines: number): ToolFailure =>
  new ToolFailure({
    type: "validation_failed",
    message: `${file} has fewer than ${from} lines: it ends at line ${lines}.`
  })

/**
 * The maximum size, in bytes, of a file that is read whole to determine its encoding. For a larger file, only the
 * requested lines determine the encoding.
 */
export const maxDecodedBytes = 67_108_864

const readStart = Effect.fnUntraced(function* (file: string) {
  const { handle } = yield* openRegular(file)
  return Option.getOrElse(yield* handle.readAlloc(4), () => new Uint8Array())
})

/**
 * Reads lines of a text file at a canonical path, at most `maxBytes` together. A file that is not UTF-8 is decoded as a
 * whole: a few lines do not show its encoding, and UTF-16 has other line ends.
 */
export const readTextLines = Effect.fn("readTextLines")(function* (file: string, range: LineRange, maxBytes: number) {
  const isWide = utf16Mark(yield* closing(file)(readStart(file))) !== undefined
  const { bytes, lines } = isWide
    ? { bytes: new Uint8Array(), lines: 0 }
    : yield* closing(file)(readLineBytes(file, range, maxBytes))
  const text = isWide ? undefined : Result.getOrUndefined(decodeText(bytes))
  if (text === "") return yield* beyondEnd(file, range, lines)
  if (text !== undefined) return text.replace(/\r?\n$/, "")
  const whole = yield* Effect.result(readTextFile(file, maxDecodedBytes))
  if (Result.isSuccess(whole)) return yield* linesOfText(file, whole.success, range, maxBytes)
  if (isWide || whole.failure.type !== "output_limit") return yield* whole.failure
  return (yield* decode(file, bytes)).text.replace(/\r?\n$/, "")
})

/** True if the file contains one of `needles`, or is too large or unreadable. */
export const fileHolds = Effect.fn("fileHolds")(function* (file: string, needles: ReadonlyArray<Buffer>) {
  const overlap = Math.max(0, ...needles.map(({ length }) => length - 1))
  const look = Effect.gen(function* () {
    const { handle } = yield* openRegular(file)
    let rest = Buffer.alloc(0)
    for (let scanned = 0; scanned <= maxScanned;) {
      const next = yield* handle.readAlloc(chunkBytes)
      if (Option.isNone(next)) return false
      scanned += next.value.length
      const part = Buffer.concat([rest, next.value])
      if (needles.some((needle) => part.includes(needle))) return true
      rest = part.subarray(Math.max(0, part.length - overlap))
    }
    return true
  })
  return yield* Effect.match(closing(file)(look), {
    onFailure: ({ type }) => type !== "not_found",
    onSuccess: (holds) => holds
  })
})
