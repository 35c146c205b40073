/** Converts system errors about a file to codes and to failures of a tool. */
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"

/** The system's error code, such as `EACCES`, or else the tag of the error. */
export const codeOf = (error: PlatformError): string => {
  const cause = error.reason.cause
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : error.reason._tag
}

/** Runs an effect about a path. Returns undefined if nothing exists there. */
export const ifFound = <A, R>(
  effect: Effect.Effect<A, PlatformError, R>
): Effect.Effect<A | undefined, PlatformError, R> =>
  Effect.catchTag(effect, "PlatformError", (error) =>
    error.reason._tag === "NotFound" ? Effect.undefined : Effect.fail(error)
  )

const explanations: Readonly<Record<string, string>> = {
  EEXIST: "Something else is there.",
  ENOENT: "There is no such file or folder.",
  EACCES: "Permission is missing.",
  EPERM: "Permission is missing.",
  EROFS: "The file system is read-only.",
  ENOSPC: "The disk is full.",
  EDQUOT: "The user's share of the disk is used up.",
  EFBIG: "The file would be larger than the system allows.",
  ENOTDIR: "A part of the path is a file, not a folder.",
  ELOOP: "Its links form a circle.",
  ENAMETOOLONG: "The path is too long.",
  EISDIR: "It is a folder.",
  EMFILE: "Too many files are open."
}

export const explanationOf = (error: PlatformError): string => {
  const code = codeOf(error)
  return explanations[code] ?? `The system says ${code}.`
}

/** Error codes for a wrong path. All other codes report a fault of the system. */
const pathFaults: Readonly<Record<string, ToolFailure["type"]>> = {
  ENOTDIR: "not_found",
  ELOOP: "validation_failed",
  ENAMETOOLONG: "validation_failed"
}

export const notFound = (path: string) =>
  new ToolFailure({ type: "not_found", message: `There is no file at ${path}.` })

/** The failure of an operation, such as `read` or `write`, on a path. */
export const fileFailure =
  (operation: string, path: string) =>
  (error: PlatformError): ToolFailure => {
    if (error.reason._tag === "NotFound") return notFound(path)
    const type = pathFaults[codeOf(error)] ?? "io_error"
    return new ToolFailure({ type, message: `Cannot ${operation} ${path}. ${explanationOf(error)}` })
  }

/** Runs an operation on a path, closes its files, and converts system errors to failures of a tool. */
export const fileOperation =
  (operation: string, path: string) =>
  <A, R>(
    effect: Effect.Effect<A, PlatformError | ToolFailure, R>
  ): Effect.Effect<A, ToolFailure, Exclude<R, Scope.Scope>> =>
    effect.pipe(
      Effect.scoped,
      Effect.catchTag("PlatformError", (error) => Effect.fail(fileFailure(operation, path)(error)))
    )
