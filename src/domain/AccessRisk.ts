/**
 * The risk that an access has by itself, whatever tool or reference asks for it.
 */
import type { CanonicalAccess } from "./Access.ts"
import { higherRisk, type Risk } from "./Permission.ts"
import { isAutomatic, isSecretLike } from "./SensitivePath.ts"

/** Writing is of high risk; fetching, and reading what is outside the project or looks like a secret, of medium risk. */
export const accessRisk = (access: CanonicalAccess): Risk => {
  if (access._tag === "WriteFile") return "high"
  return access._tag === "ReadFile" && access.inside && !isSecretLike(access.path) ? "safe" : "medium"
}

/** The risk of a call: that of its tool, or more when something it touches demands it. */
export const raisedRisk = (risk: Risk, accesses: ReadonlyArray<CanonicalAccess>): Risk =>
  accesses.map(accessRisk).reduce(higherRisk, risk)

/** More than this after the host of a URL can carry data away. */
export const longUrlPart = 256

const isLongUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url === null || url.search.length > longUrlPart || url.pathname.length > longUrlPart
}

/**
 * Why a person is asked about an access each time, as a sentence; nothing when an answer may hold for longer. Rules that
 * name such an access still decide about it.
 */
export const eachTimeReason = (access: CanonicalAccess): string | undefined => {
  if (access._tag === "WriteFile" && isAutomatic(access.path)) {
    return "Programs run or obey this file by themselves. This is asked each time."
  }
  if (access._tag === "FetchUrl" && isLongUrl(access.url)) {
    return `The URL has ${access.url.length} characters; a URL this long can carry data out of the project. This is asked each time.`
  }
  return undefined
}
