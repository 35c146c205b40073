/**
 * Reads text files that the user names: configuration, prompt, plan, document to check. (Workspace reads those that a
 * model names.)
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import { decodeText } from "../../domain/text/TextEncoding.ts"
import { specialKind } from "./CanonicalPath.ts"

const maxBoundedBytes = 1_048_576
/** The maximum size of a prompt, plan or document in bytes. */
const maxGivenBytes = 33_554_432

/** Says that a file cannot be used as text. */
export class GivenFileError extends Schema.TaggedError<GivenFileError>()("GivenFileError", {
  path: Schema.String,
  reason: Schema.Literals(["missing", "folder", "special", "too_large", "unreadable", "not_text"]),
  /** The limit in bytes that the file exceeds. */
  most: Schema.optionalKey(Schema.Int),
  /** Why the file is not UTF-8 text, such as `it is binary`. */
  detail: Schema.optionalKey(Schema.String)
}) {
  /** The problem, without the path. */
  get what(): string {
    const words = {
      missing: "there is no such file.",
      folder: "it is a folder.",
      special: "it is a pipe, a device or made by the system. Put a regular file there.",
      too_large: `it is larger than ${this.most ?? maxBoundedBytes} bytes. Make it smaller.`,
      unreadable: "it may not be read.",
      not_text: `${this.detail ?? "it is not text"}.`
    }
    return words[this.reason]
  }

  override get message(): string {
    if (this.path === "") return "Cannot read a file without a name. Give its path, or - for stdin."
    return `Cannot read ${this.path}: ${this.what}`
  }
}

/** If a parent of the path is no folder, the system reports a bad resource. This counts as a missing file. */
const reasonOf = ({ reason }: PlatformError): GivenFileError["reason"] =>
  reason._tag === "NotFound" || reason._tag === "BadResource" ? "missing" : "unreadable"

/** Decodes strict UTF-8 without its byte order mark. */
export const decodeUtf8 = (path: string, bytes: Uint8Array): Effect.Effect<string, GivenFileError> =>
  Effect.fromResult(decodeText(bytes)).pipe(
    Effect.mapError((detail) => new GivenFileError({ path, reason: "not_text", detail }))
  )

const asGiven = (path: string) =>
  Effect.mapError((error: PlatformError) => new GivenFileError({ path, reason: reasonOf(error) }))

/** The bytes of a regular file. Fails if the file is larger than `maxBytes`, or is no regular file. */
const readBytes = Effect.fnUntraced(function* (path: string, maxBytes: number) {
  const files = yield* FileSystem.FileSystem
  const info = yield* asGiven(path)(files.stat(path))
  const fail = (reason: GivenFileError["reason"]) => new GivenFileError({ path, reason })
  if (info.type === "Directory") return yield* fail("folder")
  if ((yield* specialKind(path, info)) !== undefined) return yield* fail("special")
  if (info.size > maxBytes) return yield* new GivenFileError({ path, reason: "too_large", most: maxBytes })
  return yield* asGiven(path)(files.readFile(path))
})

/** True for a path from a shell: the pipe of `<(command)`, and the stdin of the program. */
const isOfShell = (path: string): boolean => /^\/(?:dev|proc\/self)\/fd\/\d+$|^\/dev\/stdin$/.test(path)

/** All bytes of a regular file or of a shell's pipe. */
export const readGivenBytes = Effect.fn("readGivenBytes")(function* (path: string) {
  if (!isOfShell(path)) return yield* readBytes(path, maxGivenBytes)
  const files = yield* FileSystem.FileSystem
  return yield* asGiven(path)(files.readFile(path))
})

/** The whole text of a regular file or of a shell's pipe. */
export const readGivenFile = Effect.fn("readGivenFile")(function* (path: string) {
  return yield* decodeUtf8(path, yield* readGivenBytes(path))
})

/** The bytes of a regular file of at most `maxBytes`, for files that the user did not name in this call. */
export const readBoundedBytes = Effect.fn("readBoundedBytes")((path: string, maxBytes: number = maxBoundedBytes) =>
  readBytes(path, maxBytes)
)

/** The text of a regular file within the default limit. */
export const readBoundedFile = Effect.fn("readBoundedFile")(function* (path: string) {
  return yield* decodeUtf8(path, yield* readBoundedBytes(path))
})
