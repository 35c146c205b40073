/**
 * The risk that an access has by itself, whatever tool or reference asks for it.
 */
import type { CanonicalAccess } from "./Access.ts"
import { higherRisk, type Risk } from "./Permission.ts"
import { isSecretLike } from "./SensitivePath.ts"

/** Writing is of high risk; fetching, and reading what is outside the project or looks like a secret, of medium risk. */
export const accessRisk = (access: CanonicalAccess): Risk => {
  if (access._tag === "WriteFile") return "high"
  return access._tag === "ReadFile" && access.inside && !isSecretLike(access.path) ? "safe" : "medium"
}

/** The risk of a call: that of its tool, or more when something it touches demands it. */
export const raisedRisk = (risk: Risk, accesses: ReadonlyArray<CanonicalAccess>): Risk =>
  accesses.map(accessRisk).reduce(higherRisk, risk)
