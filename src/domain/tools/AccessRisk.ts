/**
 * The risk that an access has by itself, whatever tool or reference asks for it.
 */
import type { CanonicalAccess } from "./Access.ts"
import { higherRisk, type Risk } from "./Risk.ts"
import { isAutomatic, isSecretLike } from "../files/SensitivePath.ts"

/** Writing and running commands are of high risk; fetching, and reading what is outside the project or looks like a secret, of medium risk. */
export const accessRisk = (access: CanonicalAccess): Risk => {
  if (access._tag === "WriteFile" || access._tag === "RunCommand") return "high"
  return access._tag === "ReadFile" && access.inside && !isSecretLike(access.path) ? "safe" : "medium"
}

/** The risk of a call: that of its tool, or more when something it touches demands it. */
export const raisedRisk = (risk: Risk, accesses: ReadonlyArray<CanonicalAccess>): Risk =>
  accesses.map(accessRisk).reduce(higherRisk, risk)

/** A path or a query beyond this many characters may carry what a file or a page said to another place. */
const longUrlPart = 256

/** The characters of the longest such part; 0 when all are short. */
const longPartOf = (text: string): number => {
  const url = URL.parse(text)
  const longest = url === null ? text.length : Math.max(url.search.length, url.pathname.length)
  return longest > longUrlPart ? longest : 0
}

/**
 * Why a person is asked about an access each time, as a sentence; nothing when an answer may hold for longer. Rules that
 * name such an access still decide about it.
 */
export const eachTimeReason = (access: CanonicalAccess): string | undefined => {
  if (access._tag === "WriteFile" && isAutomatic(access.path)) {
    return "Programs run or obey this file by themselves. This is asked each time."
  }
  const length = access._tag === "FetchUrl" ? longPartOf(access.url) : 0
  return length > 0 ? `Sends ${length} characters of data in the address. This is asked each time.` : undefined
}
