/**
 * The answers of the user in one run, which the gate decides with: what they allowed and refused, what they want instead, and the
 * rules that they added. Workers of the same run exchange them.
 */
import * as Schema from "effect/Schema"
import { type WriteAccess, accessTarget, plainAccess, writesIn } from "../../domain/tools/Access.ts"
import { type Asked, sessionScopes } from "../../domain/permissions/PolicyFormat.ts"
import { hashOf, linkState, textHash } from "../files/Hash.ts"
import { askTask } from "../../domain/runs/ActivityKey.ts"
import { AnsweredBy } from "../../domain/permissions/Answer.ts"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RequestedChange } from "../../domain/permissions/ApprovalItem.ts"
import { type PermissionDenied, SavedDenial } from "./GateQuestion.ts"
import type { SourcedRule } from "./Policy.ts"

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

/** A call or an access with the task that wants it. */
interface Grantable extends Asked {
  readonly hash: string
  readonly task: string
}

/** The same write by the same tool, in whichever task. */
const writeKey = ({ tool }: Asked, write: WriteAccess): string => hashOf([tool, { ...plainAccess(write) }])

/** Identifies an effect: the same tool on the same targets, whatever the content. */
const effectKey = ({ accesses, arguments: given, tool }: Asked): string =>
  hashOf([tool, accesses.length === 0 ? (given ?? null) : accesses.map(accessTarget)])

/**
 * An excluded call is known by its hash, by its words in any task, and by its effect in its own task. In a conversation the
 * next message may ask for it.
 */
const exclusionKeys = (question: Grantable): ReadonlyArray<string> =>
  question.task === askTask
    ? [question.hash]
    : [
        question.hash,
        hashOf(["excluded", question.tool, question.arguments ?? null]),
        hashOf(["excluded", question.task, effectKey(question)])
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

const addAll = <A>(to: Map<string, A>, from: Readonly<Record<string, A>> = {}): void => {
  for (const [key, value] of Object.entries(from)) to.set(key, value)
}

/** The grants of one run; there are none at first. */
export class Grants {
  readonly #approved = new Set<string>()
  readonly #excluded = new Set<string>()
  readonly #session = new Map<string, string>()
  /** Who approved all remaining steps of a plan, by its key. */
  readonly plans = new Map<string, AnsweredBy>()
  readonly #denied = new Map<string, number>()
  readonly #shown = new Map<string, string>()
  /** By path: what this run wrote there last. */
  readonly written = new Map<string, string>()
  /** By path: what stood there when a person allowed a write to it, and what they allowed. */
  readonly #known = new Map<string, Set<string>>()
  readonly #repairs = new Set<string>()
  readonly #read = new Set<string>()
  /** The replies of the model of which the user denied a call: the others of them are not asked about. */
  readonly declinedReplies = new Set<string>()

  /**
   * How an earlier answer decides about a call. Excluded is one that was left out when others of its step were chosen, also when
   * it comes again, in whichever task, and when what it would change is something else since others of its step were made.
   * Approved with its step is exactly this call, and what the session covers, while the files are as they were shown. A repair
   * is a change of files whose repairs are allowed to its task, while they are as this run wrote them.
   */
  answerTo(question: Grantable): "excluded" | "step" | "session" | "repair" | undefined {
    const isApproved = this.#approved.has(question.hash)
    if (!isApproved && exclusionKeys(question).some((key) => this.#excluded.has(key))) return "excluded"
    if (this.#isAsShown(question)) {
      if (isApproved) return "step"
      if (sessionScopes(question)?.every(({ key }) => this.#session.has(hashOf(key))) === true) return "session"
    }
    const files = repairedFiles(question)
    const isRepair = ({ found, path }: WriteAccess): boolean =>
      this.#repairs.has(hashOf([question.task, path])) && found === this.written.get(path)
    return files.length > 0 && files.every(isRepair) ? "repair" : undefined
  }

  /**
   * True while the files of approved writes hold what a person saw there, or what this run itself wrote since; otherwise
   * the write is asked about again. What nobody saw is not compared.
   */
  #isAsShown(asked: Asked): boolean {
    return writesIn(asked.accesses).every((write) => {
      const shown = this.#shown.get(writeKey(asked, write))
      return shown === undefined || write.found === shown || write.found === this.written.get(write.path)
    })
  }

  /** True for a file that was allowed to be read in this run: what it holds may be told. */
  wasRead(path: string): boolean {
    return this.#read.has(path)
  }

  /** The files of a write that hold neither what a person saw when they allowed a write to them, nor what was written. */
  changedSince(question: Asked): ReadonlyArray<string> {
    const isOther = ({ found, path }: WriteAccess): boolean => {
      const known = this.#known.get(path)
      return known !== undefined && found !== undefined && !known.has(found) && found !== this.written.get(path)
    }
    return writesIn(question.accesses).flatMap((write) => (isOther(write) ? [write.path] : []))
  }

  /** A person saw the question and allowed it. */
  addShown(asked: Asked): void {
    for (const write of writesIn(asked.accesses)) {
      if (write.found !== undefined) this.#shown.set(writeKey(asked, write), write.found)
      const known = this.#known.get(write.path) ?? new Set()
      this.#known.set(write.path, known.add(write.found ?? "").add(textHash(write.content)))
    }
  }

  /** The call may run: what it reads may be told, and what it writes is what the run expects there from now on. */
  addAllowed(asked: Asked): void {
    for (const access of asked.accesses) {
      if (access._tag === "ReadFile") this.#read.add(access.path)
      if (access._tag === "WriteFile") this.written.set(access.path, writtenState(access))
    }
  }

  /** Approves calls of a step by their hash. */
  addApproved(hashes: ReadonlyArray<string>): void {
    for (const hash of hashes) this.#approved.add(hash)
  }

  addExcluded(asked: Grantable): void {
    for (const key of exclusionKeys(asked)) this.#excluded.add(key)
  }

  /** Allows later changes of the same files to the same task. */
  addRepairs(asked: Grantable): void {
    for (const { path } of repairedFiles(asked)) this.#repairs.add(hashOf([asked.task, path]))
  }

  /** Has no effect on what is asked about each time. */
  addSession(asked: Asked): void {
    for (const { covers, key } of sessionScopes(asked) ?? []) this.#session.set(hashOf(key), covers)
  }

  /** What is allowed for the session, in words. */
  session(): ReadonlyArray<string> {
    return [...this.#session.values()]
  }

  endSteps(): void {
    this.#approved.clear()
  }

  /** How often a person has denied the same effect so far. */
  denials(asked: Asked): number {
    return this.#denied.get(effectKey(asked)) ?? 0
  }

  /** Counts a denial by a person, and gives how often the same effect was denied so far. */
  countDenial(asked: Asked): number {
    const count = this.denials(asked) + 1
    this.#denied.set(effectKey(asked), count)
    return count
  }

  snapshot(): GrantSnapshot {
    return {
      approved: [...this.#approved],
      excluded: [...this.#excluded],
      session: Object.fromEntries(this.#session),
      plans: Object.fromEntries(this.plans),
      denied: Object.fromEntries(this.#denied),
      shown: Object.fromEntries(this.#shown),
      written: Object.fromEntries(this.written),
      repairs: [...this.#repairs],
      read: [...this.#read]
    }
  }

  /** Adds the answers that another process has in the same run. */
  restore({ approved, denied, excluded, plans, session, ...others }: GrantSnapshot): void {
    this.addApproved(approved)
    for (const key of excluded) this.#excluded.add(key)
    for (const path of others.read ?? []) this.#read.add(path)
    for (const file of others.repairs ?? []) this.#repairs.add(file)
    addAll(this.#shown, others.shown)
    addAll(this.written, others.written)
    addAll(this.#session, session)
    addAll(this.plans, plans)
    for (const [key, times] of Object.entries(denied)) {
      this.#denied.set(key, Math.max(times, this.#denied.get(key) ?? 0))
    }
  }
}

/** The answers of one process in a run, for another one of the same run. */
export const AnswerSnapshot = Schema.Struct({
  grants: GrantSnapshot,
  denials: Schema.Array(SavedDenial),
  wishes: Schema.optionalKey(Schema.Array(RequestedChange))
})
export type AnswerSnapshot = typeof AnswerSnapshot.Type

const isSameRequest = (a: RequestedChange, b: RequestedChange): boolean =>
  a.declined === b.declined && a.instead === b.instead

const makeRunAnswers = Effect.sync(() => {
  const grants = new Grants()
  let denials: ReadonlyArray<PermissionDenied> = []
  let requestedChanges: ReadonlyArray<RequestedChange> = []
  let addedRules: ReadonlyArray<SourcedRule> = []
  return {
    grants,
    /** Everything that was denied so far, in order. */
    denials: Effect.sync(() => denials),
    addDenial: (denied: PermissionDenied) => Effect.sync(() => void (denials = [...denials, denied])),
    /** Everything that the user wants instead of what they declined so far, in order. */
    requestedChanges: Effect.sync(() => requestedChanges),
    addRequestedChange: (change: RequestedChange) =>
      Effect.sync(() => void (requestedChanges = [...requestedChanges, change])),
    /** The rules that were added during the run, for as long as it lasts. */
    addedRules: Effect.sync(() => addedRules),
    addRule: (rule: SourcedRule): Effect.Effect<void> => Effect.sync(() => void (addedRules = [...addedRules, rule])),
    /** What was approved with a step does not cover the same call later. */
    endSteps: Effect.sync(() => grants.endSteps()),
    /** The answers so far, for another process that runs tasks of this run. */
    snapshot: Effect.sync((): AnswerSnapshot => ({ grants: grants.snapshot(), denials, wishes: requestedChanges })),
    /** Adds the answers of another process of this run. */
    restore: (snapshot: AnswerSnapshot) =>
      Effect.sync(() => {
        grants.restore(snapshot.grants)
        denials = Arr.union(denials, snapshot.denials)
        requestedChanges = Arr.unionWith(requestedChanges, snapshot.wishes ?? [], isSameRequest)
      })
  }
})

export class RunAnswers extends Context.Service<RunAnswers>()("task-conductor/services/permissions/RunAnswers", {
  make: makeRunAnswers
}) {
  /** The answers of a new run; each run has its own. */
  static readonly layer = () => Layer.effect(this, this.make)
}
