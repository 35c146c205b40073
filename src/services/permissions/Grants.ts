/**
 * The answers of a person in one run: calls that were approved or excluded with their step, what is allowed for the
 * session, plans whose remaining steps are approved, and how often an effect was denied.
 */
import * as Schema from "effect/Schema"
import { type WriteAccess, writesIn, plainAccess, accessTarget } from "../../domain/tools/Access.ts"
import { type Asked, sessionScopes } from "../../domain/permissions/PolicyFormat.ts"
import { hashOf, linkState, textHash } from "../files/Hash.ts"
import { askTask } from "../../domain/runs/ActivityKey.ts"
import { AnsweredBy } from "../approvals/Approver.ts"

/** The same write by the same tool, in whichever task. */
const keyOf = ({ tool }: Asked, write: WriteAccess): string => hashOf([tool, { ...plainAccess(write) }])

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
  denied: Schema.Record(Schema.String, Schema.Int),
  /** By write: what stood at its path when a person saw it. */
  shown: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** By path: what this run wrote there last. */
  written: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** The files of tasks whose repairs are allowed. */
  repairs: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The paths of files that were allowed to be read. */
  read: Schema.optionalKey(Schema.Array(Schema.String))
})
export type GrantSnapshot = typeof GrantSnapshot.Type

/** Identifies an effect: the same tool on the same targets, whatever the content. */
const effectKey = ({ accesses, arguments: given, tool }: Grantable): string =>
  hashOf([tool, accesses.length === 0 ? (given ?? null) : accesses.map(accessTarget)])

/** A call with the task that makes it. */
interface OfTask extends Grantable {
  readonly task: string
}

/**
 * An excluded call is known by its hash, by its words in any task, and by its effect in its own task. In a conversation the
 * next message may ask for it.
 */
const exclusionKeys = (asked: OfTask): ReadonlyArray<string> =>
  asked.task === askTask
    ? [asked.hash]
    : [
        asked.hash,
        hashOf(["excluded", asked.tool, asked.arguments ?? null]),
        hashOf(["excluded", asked.task, effectKey(asked)])
      ]

/** The files that a call of a task writes; none when it does something else as well, or is asked about each time. */
export const repairedFiles = (asked: Asked): ReadonlyArray<WriteAccess> => {
  const writes = writesIn(asked.accesses)
  return writes.length === asked.accesses.length && sessionScopes(asked) !== undefined ? writes : []
}

/** What stands at the path of a write afterwards. */
const writtenState = ({ content, from, kind, removes }: WriteAccess): string => {
  if (removes === true) return "absent"
  if (kind === "link") return linkState(content)
  return from?.state ?? textHash(content)
}

/** The grants of one run; there are none at first. */
export class Grants {
  readonly #approved = new Set<string>()
  readonly #excluded = new Set<string>()
  readonly #session = new Map<string, string>()
  readonly #plans = new Map<string, AnsweredBy>()
  readonly #denied = new Map<string, number>()
  readonly #shown = new Map<string, string>()
  readonly #written = new Map<string, string>()
  /** By path: what stood there when a person allowed a write to it, and what they allowed. */
  readonly #known = new Map<string, Set<string>>()
  readonly #repairs = new Set<string>()
  readonly #read = new Set<string>()

  /** True for a call that was approved, or that the session covers, while the files are as they were shown. */
  isGranted(asked: Grantable): boolean {
    if (this.isApproved(asked)) return true
    const keys = sessionScopes(asked)?.map(({ key }) => hashOf(key))
    return keys?.every((key) => this.#session.has(key)) === true && this.#isAsShown(asked)
  }

  /** True for exactly this call, approved with its step, while the files are as they were shown. */
  isApproved(asked: Grantable): boolean {
    return this.#approved.has(asked.hash) && this.#isAsShown(asked)
  }

  /**
   * True while the files of approved writes hold what a person saw there, or what this run itself wrote since; otherwise
   * the write is asked about again. What nobody saw is not compared.
   */
  #isAsShown(asked: Asked): boolean {
    return writesIn(asked.accesses).every((write) => {
      const shown = this.#shown.get(keyOf(asked, write))
      return shown === undefined || write.found === shown || write.found === this.#written.get(write.path)
    })
  }

  /** True for a change of files whose repairs are allowed to its task, while they are as this run wrote them. */
  isRepair(asked: OfTask): boolean {
    const files = repairedFiles(asked)
    const isCovered = ({ found, path }: WriteAccess): boolean =>
      this.#repairs.has(hashOf([asked.task, path])) && found === this.#written.get(path)
    return files.length > 0 && files.every(isCovered)
  }

  /** These files may be read: what they hold may be told from now on. */
  addRead({ accesses }: Asked): void {
    for (const access of accesses) if (access._tag === "ReadFile") this.#read.add(access.path)
  }

  /** True for a file that was allowed to be read in this run. */
  wasRead(path: string): boolean {
    return this.#read.has(path)
  }

  /** Allows later changes of the same files to the same task. */
  addRepairs(asked: OfTask): void {
    for (const { path } of repairedFiles(asked)) this.#repairs.add(hashOf([asked.task, path]))
  }

  /** A person saw the question and allowed it. */
  addShown(asked: Asked): void {
    for (const write of writesIn(asked.accesses)) {
      if (write.found !== undefined) this.#shown.set(keyOf(asked, write), write.found)
      const known = this.#known.get(write.path) ?? new Set()
      this.#known.set(write.path, known.add(write.found ?? "").add(textHash(write.content)))
    }
  }

  /** The files of a write that hold neither what a person saw when they allowed a write to them, nor what was written. */
  changedSince(asked: Asked): ReadonlyArray<string> {
    const isOther = ({ found, path }: WriteAccess): boolean => {
      const known = this.#known.get(path)
      return known !== undefined && found !== undefined && !known.has(found) && found !== this.#written.get(path)
    }
    return writesIn(asked.accesses).flatMap((write) => (isOther(write) ? [write.path] : []))
  }

  /** The call may run: its content is what the run expects at the path from now on. */
  addWritten(asked: Asked): void {
    for (const write of writesIn(asked.accesses)) this.#written.set(write.path, writtenState(write))
  }

  /**
   * True for a call that was excluded when others of its step were chosen: also when it comes again, in whichever task, and
   * when what it would change is something else since others of its step were made.
   */
  isExcluded(asked: OfTask): boolean {
    return !this.#approved.has(asked.hash) && exclusionKeys(asked).some((key) => this.#excluded.has(key))
  }

  addHashes(hashes: ReadonlyArray<string>): void {
    for (const hash of hashes) this.#approved.add(hash)
  }

  addExcluded(asked: OfTask): void {
    for (const key of exclusionKeys(asked)) this.#excluded.add(key)
  }

  /** Has no effect on what is asked about each time. */
  addSession(asked: Grantable): void {
    for (const { covers, key } of sessionScopes(asked) ?? []) this.#session.set(hashOf(key), covers)
  }

  /** What is allowed for the session, in words. */
  session(): ReadonlyArray<string> {
    return [...this.#session.values()]
  }

  /** What was approved with a step does not cover the same call later. */
  endSteps(): void {
    this.#approved.clear()
  }

  /** Records who approved all remaining steps of a plan. */
  addPlan(planKey: string, by: AnsweredBy): void {
    this.#plans.set(planKey, by)
  }

  planApprovedBy(planKey: string): AnsweredBy | undefined {
    return this.#plans.get(planKey)
  }

  denials(asked: Grantable): number {
    return this.#denied.get(effectKey(asked)) ?? 0
  }

  /** Counts a denial by a person, and gives how often the same effect was denied so far. */
  countDenial(asked: Grantable): number {
    const count = this.denials(asked) + 1
    this.#denied.set(effectKey(asked), count)
    return count
  }

  snapshot(): GrantSnapshot {
    return {
      approved: [...this.#approved],
      excluded: [...this.#excluded],
      session: Object.fromEntries(this.#session),
      plans: Object.fromEntries(this.#plans),
      denied: Object.fromEntries(this.#denied),
      shown: Object.fromEntries(this.#shown),
      written: Object.fromEntries(this.#written),
      repairs: [...this.#repairs],
      read: [...this.#read]
    }
  }

  /** Adds the answers that another process has in the same run. */
  restore({ approved, denied, excluded, plans, session, ...given }: GrantSnapshot): void {
    const { read = [], repairs = [], shown = {}, written = {} } = given
    for (const path of read) this.#read.add(path)
    for (const file of repairs) this.#repairs.add(file)
    for (const [key, state] of Object.entries(shown)) this.#shown.set(key, state)
    for (const [path, state] of Object.entries(written)) this.#written.set(path, state)
    for (const key of excluded) this.#excluded.add(key)
    this.addHashes(approved)
    for (const [key, covers] of Object.entries(session)) this.#session.set(key, covers)
    for (const [key, by] of Object.entries(plans)) this.#plans.set(key, by)
    for (const [key, times] of Object.entries(denied)) {
      this.#denied.set(key, Math.max(times, this.#denied.get(key) ?? 0))
    }
  }
}
