/**
 * What a person answered in one run: calls approved or left out with their step, what is allowed for the session, plans
 * whose remaining steps are approved, and what was declined how often. Held by the gate; travels with the tasks of a run
 * that several processes share.
 */
import * as Schema from "effect/Schema"
import { accessTarget } from "../../domain/tools/Access.ts"
import { type Asked, sessionScopes } from "../../domain/permissions/SessionScope.ts"
import { type Answered, AnsweredBy } from "../approvals/Approver.ts"
import { hashOf } from "../files/Hash.ts"

/** What a grant is compared with. */
export interface Grantable extends Asked {
  readonly hash: string
}

/** All grants as plain data. */
export const GrantSnapshot = Schema.Struct({
  approved: Schema.Array(Schema.String),
  leftOut: Schema.Array(Schema.String),
  /** What is allowed for the session, in words, by its key. */
  session: Schema.Record(Schema.String, Schema.String),
  /** Who approved all remaining steps of a plan, by its key. */
  plans: Schema.Record(Schema.String, AnsweredBy),
  /** How often an effect was declined, by its key. */
  declined: Schema.Record(Schema.String, Schema.Int)
})
export type GrantSnapshot = typeof GrantSnapshot.Type

export interface Grants {
  /** True for a call whose hash was approved, or that the session covers. */
  readonly isGranted: (asked: Grantable) => boolean
  /** True for exactly these calls, approved with their step. */
  readonly isHashApproved: (hash: string) => boolean
  /** True for exactly these calls, left out when others of their step were chosen. */
  readonly isExcluded: (hash: string) => boolean
  readonly addHashes: (hashes: ReadonlyArray<string>) => void
  readonly addLeftOut: (hashes: ReadonlyArray<string>) => void
  /** Changes nothing for what is asked about each time. */
  readonly addSession: (asked: Grantable) => void
  /** What is allowed for the session, in words. */
  readonly session: () => ReadonlyArray<string>
  /** All remaining steps of the plan were approved by this one. */
  readonly addPlan: (planKey: string, by: Answered<unknown>["by"]) => void
  readonly planApprovedBy: (planKey: string) => Answered<unknown>["by"] | undefined
  /** Counts a denial by a person; says how often the same effect was declined by now. */
  readonly countDenial: (asked: Grantable) => number
  readonly denials: (asked: Grantable) => number
  readonly snapshot: () => GrantSnapshot
  /** Takes over what was answered elsewhere in the same run. */
  readonly restore: (snapshot: GrantSnapshot) => void
}

/** The same tool on the same targets is the same effect, whatever the content. */
const effectKey = ({ accesses, arguments: given, tool }: Grantable): string =>
  hashOf([tool, accesses.length === 0 ? (given ?? null) : accesses.map(accessTarget)])

const sessionKeys = (asked: Grantable): ReadonlyArray<string> | undefined =>
  sessionScopes(asked)?.map(({ key }) => hashOf(key))

/** No grants yet. */
export const makeGrants = (): Grants => {
  const hashes = new Set<string>()
  const leftOut = new Set<string>()
  const session = new Map<string, string>()
  const plans = new Map<string, Answered<unknown>["by"]>()
  const declined = new Map<string, number>()
  const denials = (asked: Grantable): number => declined.get(effectKey(asked)) ?? 0
  const addHashes = (added: ReadonlyArray<string>): void => {
    for (const hash of added) {
      hashes.add(hash)
      leftOut.delete(hash)
    }
  }
  return {
    isGranted: (asked) => hashes.has(asked.hash) || sessionKeys(asked)?.every((key) => session.has(key)) === true,
    isHashApproved: (hash) => hashes.has(hash),
    isExcluded: (hash) => leftOut.has(hash),
    addHashes,
    addLeftOut: (added) => {
      for (const hash of added) leftOut.add(hash)
    },
    addSession: (asked) => {
      for (const { covers, key } of sessionScopes(asked) ?? []) session.set(hashOf(key), covers)
    },
    session: () => [...session.values()],
    addPlan: (planKey, by) => {
      plans.set(planKey, by)
    },
    planApprovedBy: (planKey) => plans.get(planKey),
    countDenial: (asked) => {
      const count = denials(asked) + 1
      declined.set(effectKey(asked), count)
      return count
    },
    denials,
    snapshot: () => ({
      approved: [...hashes],
      leftOut: [...leftOut],
      session: Object.fromEntries(session),
      plans: Object.fromEntries(plans),
      declined: Object.fromEntries(declined)
    }),
    restore: (snapshot) => {
      for (const hash of snapshot.leftOut) leftOut.add(hash)
      addHashes(snapshot.approved)
      for (const [key, covers] of Object.entries(snapshot.session)) session.set(key, covers)
      for (const [key, by] of Object.entries(snapshot.plans)) plans.set(key, by)
      for (const [key, times] of Object.entries(snapshot.declined)) {
        declined.set(key, Math.max(times, declined.get(key) ?? 0))
      }
    }
  }
}
