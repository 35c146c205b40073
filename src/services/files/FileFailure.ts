/**
 * Turns what the operating system says about a file into the failure of a tool, worded for the one who asked.
 */
import type { PlatformError } from "effect/PlatformError"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { codeOf } from "./SystemCode.ts"

const explanations: Readonly<Record<string, string>> = {
  EACCES: "Permission is missing.",
  EPERM: "Permission is missing.",
  EROFS: "The file system is read-only.",
  ENOSPC: "The disk is full.",
  ENOTDIR: "A part of the path is a file, not a folder.",
  ELOOP: "Its links go round in a circle.",
  ENAMETOOLONG: "The path is too long.",
  EISDIR: "It is a folder.",
  EMFILE: "Too many files are open."
}

/** The failure of an operation such as `read` or `write` on a path. */
export const fileFailure =
  (operation: string, path: string) =>
  (error: PlatformError): ToolFailure => {
    if (error.reason._tag === "NotFound") {
      return new ToolFailure({ type: "not_found", message: `There is no file at ${path}.` })
    }
    const code = codeOf(error)
    const why = explanations[code] ?? `The system says ${code}.`
    return new ToolFailure({ type: "io_error", message: `Cannot ${operation} ${path}. ${why}` })
  }
