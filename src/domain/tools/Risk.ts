/**
 * How dangerous a tool and what it accesses are, and what a repetition of its call would do.
 */
import * as Schema from "effect/Schema"
import type { CanonicalAccess } from "./Access.ts"
import { isAutomatic, isSecretLike } from "../files/SensitivePath.ts"

/** `safe` runs, `medium` asks, `high` asks with a warning. */
export const Risk = Schema.Literals(["safe", "medium", "high"])
export type Risk = typeof Risk.Type

/** What a repetition after a crash would do: nothing new, the same state again, or a second effect. */
export const EffectClass = Schema.Literals(["pure", "idempotent", "once"])
export type EffectClass = typeof EffectClass.Type

export const higherRisk = (a: Risk, b: Risk): Risk => {
  const order = Risk.literals
  return order.indexOf(a) >= order.indexOf(b) ? a : b
}

/** Writing and running commands are of high risk; fetching, and reading what is outside the project or looks like a secret, of medium risk. */
export const accessRisk = (access: CanonicalAccess): Risk => {
  if (access._tag === "WriteFile" || access._tag === "RunCommand") return "high"
  return access._tag === "ReadFile" && access.inside && !isSecretLike(access.path) ? "safe" : "medium"
}

/** The risk of a call: that of its tool, or that of what it accesses when this is higher. */
export const raisedRisk = (risk: Risk, accesses: ReadonlyArray<CanonicalAccess>): Risk =>
  accesses.map(accessRisk).reduce(higherRisk, risk)

/** A longer path with its query may carry data of a file or a page to another server. */
export const mostUrlData = 256

/** How many characters of a URL follow its host; 0 when they are too few to carry much. */
const longPartOf = (text: string): number => {
  const url = URL.parse(text)
  const length = url === null ? text.length : url.pathname.length + url.search.length
  return length > mostUrlData ? length : 0
}

/**
 * Why a person is asked about an access each time, as a sentence; nothing when an answer may hold for longer. A rule
 * still decides about such an access when its pattern names it, and not only a host or a folder.
 */
export const eachTimeReason = (access: CanonicalAccess): string | undefined => {
  if (access._tag === "WriteFile" && isAutomatic(access.path)) {
    return "Programs run or read this file automatically. This is asked each time."
  }
  const length = access._tag === "FetchUrl" ? longPartOf(access.url) : 0
  return length > 0 ? `Sends ${length} characters of data in the address. This is asked each time.` : undefined
}
