/**
 * Reads the text files that a person names: configuration, prompt, plan, document to check. Files that a model names are
 * read by Workspace instead.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import { decodeText } from "../../domain/text/TextEncoding.ts"

const maxBoundedBytes = 1_048_576

/** A file cannot be used as text. */
export class GivenFileError extends Schema.TaggedError<GivenFileError>()("GivenFileError", {
  path: Schema.String,
  reason: Schema.Literals(["missing", "folder", "special", "too_large", "unreadable", "not_text"]),
  /** What the bytes are, when they are not UTF-8 text. */
  detail: Schema.optionalKey(Schema.String)
}) {
  /** What is wrong, without the path. */
  get what(): string {
    switch (this.reason) {
      case "missing":
        return "there is no such file."
      case "folder":
        return "it is a folder."
      case "special":
        return "it is a pipe or a device. Put a regular file there."
      case "too_large":
        return `it is larger than ${maxBoundedBytes} bytes. Make it smaller.`
      case "unreadable":
        return "it may not be read."
      case "not_text":
        return `${this.detail ?? "it is not text"}.`
    }
  }

  override get message(): string {
    return `Cannot read ${this.path}: ${this.what}`
  }
}

/** A parent that is not a folder is a bad resource; then the file is missing, too. */
const reasonOf = ({ reason }: PlatformError): GivenFileError["reason"] =>
  reason._tag === "NotFound" || reason._tag === "BadResource" ? "missing" : "unreadable"

/** Decodes strict UTF-8; a byte order mark is dropped. */
export const decodeUtf8 = (path: string, bytes: Uint8Array): Effect.Effect<string, GivenFileError> =>
  Effect.fromResult(decodeText(bytes)).pipe(
    Effect.mapError((detail) => new GivenFileError({ path, reason: "not_text", detail }))
  )

const readAs = Effect.fnUntraced(function* (
  path: string,
  problemOf: (info: FileSystem.File.Info) => GivenFileError["reason"] | undefined
) {
  const files = yield* FileSystem.FileSystem
  const asGiven = Effect.mapError((error: PlatformError) => new GivenFileError({ path, reason: reasonOf(error) }))
  const reason = problemOf(yield* asGiven(files.stat(path)))
  if (reason !== undefined) return yield* new GivenFileError({ path, reason })
  return yield* decodeUtf8(path, yield* asGiven(files.readFile(path)))
})

/** The whole text of a file, or of a pipe that the shell made. */
export const readGivenFile = Effect.fn("readGivenFile")((path: string) =>
  readAs(path, ({ type }) => (type === "Directory" ? "folder" : undefined))
)

/** The text of a regular file of at most 1 MiB, for files that the person did not name in this call. */
export const readBoundedFile = Effect.fn("readBoundedFile")((path: string) =>
  readAs(path, ({ size, type }) => {
    if (type === "Directory") return "folder"
    if (type !== "File") return "special"
    return size > BigInt(maxBoundedBytes) ? "too_large" : undefined
  })
)
