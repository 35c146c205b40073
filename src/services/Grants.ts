/**
 * What a person allowed for one run: calls approved with their step, targets allowed for the session, and plans whose
 * remaining steps are approved. Lives in memory only; held by the gate.
 */
import type { CanonicalAccess } from "../domain/Access.ts"
import { accessTarget } from "../domain/Access.ts"
import { canonicalJson } from "../domain/CanonicalJson.ts"
import type { Arguments } from "../domain/ToolCall.ts"
import type { Answered } from "./Approver.ts"

/** What a grant is compared with. */
export interface Grantable {
  readonly tool: string
  readonly arguments?: Arguments
  readonly accesses: ReadonlyArray<CanonicalAccess>
  readonly hash: string
}

export interface Grants {
  /** True for a call whose hash was approved, or whose every target is allowed for the session. */
  readonly cover: (asked: Grantable) => boolean
  /** True for exactly these calls, approved with their step. */
  readonly coverHash: (hash: string) => boolean
  readonly addHashes: (hashes: ReadonlyArray<string>) => void
  readonly addSession: (asked: Grantable) => void
  /** All remaining steps of the plan were approved by this one. */
  readonly addPlan: (planKey: string, by: Answered<unknown>["by"]) => void
  readonly planApprovedBy: (planKey: string) => Answered<unknown>["by"] | undefined
}

/** A grant for the session holds for one tool on one target; a call that touches nothing is known by its arguments. */
const sessionKeys = ({ accesses, arguments: given, tool }: Grantable): ReadonlyArray<string> =>
  accesses.length === 0
    ? [canonicalJson([tool, "arguments", given ?? null])]
    : accesses.map((access) => canonicalJson([tool, access._tag, accessTarget(access)]))

/** No grants yet. */
export const makeGrants = (): Grants => {
  const hashes = new Set<string>()
  const session = new Set<string>()
  const plans = new Map<string, Answered<unknown>["by"]>()
  return {
    cover: (asked) => hashes.has(asked.hash) || sessionKeys(asked).every((key) => session.has(key)),
    coverHash: (hash) => hashes.has(hash),
    addHashes: (added) => {
      for (const hash of added) hashes.add(hash)
    },
    addSession: (asked) => {
      for (const key of sessionKeys(asked)) session.add(key)
    },
    addPlan: (planKey, by) => {
      plans.set(planKey, by)
    },
    planApprovedBy: (planKey) => plans.get(planKey)
  }
}
