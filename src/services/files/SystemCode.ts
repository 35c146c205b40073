/**
 * What the operating system says of an operation that failed, in its own short word. Called where a failure is worded for
 * a person.
 */
import type { PlatformError } from "effect/PlatformError"

/** `EACCES`, `ENOSPC`, ...; the tag of the error when the system gave no code. */
export const codeOf = (error: PlatformError): string => {
  const cause = error.reason.cause
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : error.reason._tag
}
