/**
 * The answers of a person in one run: calls that were approved or excluded with their step, what is allowed for the
 * session, plans whose remaining steps are approved, and how often an effect was denied.
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

/** All grants as plain data, for another process that runs tasks of the same run. */
export const GrantSnapshot = Schema.Struct({
  approved: Schema.Array(Schema.String),
  excluded: Schema.Array(Schema.String),
  /** What is allowed for the session, in words, by its key. */
  session: Schema.Record(Schema.String, Schema.String),
  /** Who approved all remaining steps of a plan, by its key. */
  plans: Schema.Record(Schema.String, AnsweredBy),
  /** How often an effect was denied, by its key. */
  denied: Schema.Record(Schema.String, Schema.Int)
})
export type GrantSnapshot = typeof GrantSnapshot.Type

export interface Grants {
  /** True for a call whose hash was approved, or that the session covers. */
  readonly isGranted: (asked: Grantable) => boolean
  /** True for exactly these calls, approved with their step. */
  readonly isHashApproved: (hash: string) => boolean
  /** True for exactly these calls, excluded when others of their step were chosen. */
  readonly isExcluded: (hash: string) => boolean
  readonly addHashes: (hashes: ReadonlyArray<string>) => void
  readonly addExcluded: (hashes: ReadonlyArray<string>) => void
  /** Has no effect on what is asked about each time. */
  readonly addSession: (asked: Grantable) => void
  /** What is allowed for the session, in words. */
  readonly session: () => ReadonlyArray<string>
  /** All remaining steps of the plan were approved by this one. */
  readonly addPlan: (planKey: string, by: Answered<unknown>["by"]) => void
  readonly planApprovedBy: (planKey: string) => Answered<unknown>["by"] | undefined
  /** Counts a denial by a person, and gives how often the same effect was denied so far. */
  readonly countDenial: (asked: Grantable) => number
  readonly denials: (asked: Grantable) => number
  readonly snapshot: () => GrantSnapshot
  /** Adds the answers that another process has in the same run. */
  readonly restore: (snapshot: GrantSnapshot) => void
}

/** Identifies an effect: the same tool on the same targets, whatever the content. */
const effectKey = ({ accesses, arguments: given, tool }: Grantable): string =>
  hashOf([tool, accesses.length === 0 ? (given ?? null) : accesses.map(accessTarget)])

const sessionKeys = (asked: Grantable): ReadonlyArray<string> | undefined =>
  sessionScopes(asked)?.map(({ key }) => hashOf(key))

/** No grants yet. */
export const makeGrants = (): Grants => {
  const hashes = new Set<string>()
  const excluded = new Set<string>()
  const session = new Map<string, string>()
  const plans = new Map<string, Answered<unknown>["by"]>()
  const denied = new Map<string, number>()
  const denials = (asked: Grantable): number => denied.get(effectKey(asked)) ?? 0
  const addHashes = (added: ReadonlyArray<string>): void => {
    for (const hash of added) {
      hashes.add(hash)
      excluded.delete(hash)
    }
  }
  return {
    isGranted: (asked) => hashes.has(asked.hash) || sessionKeys(asked)?.every((key) => session.has(key)) === true,
    isHashApproved: (hash) => hashes.has(hash),
    isExcluded: (hash) => excluded.has(hash),
    addHashes,
    addExcluded: (added) => {
      for (const hash of added) excluded.add(hash)
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
      denied.set(effectKey(asked), count)
      return count
    },
    denials,
    snapshot: () => ({
      approved: [...hashes],
      excluded: [...excluded],
      session: Object.fromEntries(session),
      plans: Object.fromEntries(plans),
      denied: Object.fromEntries(denied)
    }),
    restore: (snapshot) => {
      for (const hash of snapshot.excluded) excluded.add(hash)
      addHashes(snapshot.approved)
      for (const [key, covers] of Object.entries(snapshot.session)) session.set(key, covers)
      for (const [key, by] of Object.entries(snapshot.plans)) plans.set(key, by)
      for (const [key, times] of Object.entries(snapshot.denied)) {
        denied.set(key, Math.max(times, denied.get(key) ?? 0))
      }
    }
  }
}
