/**
 * The user's answers in one run, with which the gate decides: permissions, refusals, wishes and added rules. Workers of
 * the run exchange them.
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

/** All permissions and refusals, for another process that runs tasks of the same run. */
export const GrantSnapshot = Schema.Struct({
  approved: Schema.Array(Schema.String),
  excluded: Schema.Array(Schema.String),
  /** What the user allowed for the session. The value is a text for the user, the key identifies the permission. */
  session: Schema.Record(Schema.String, Schema.String),
  /** For each plan, by the key of the plan: who approved all its remaining steps. */
  plans: Schema.Record(Schema.String, AnsweredBy),
  /** How often each effect was denied, by key. */
  denied: Schema.Record(Schema.String, Schema.Int),
  /** For each write that the user saw: the state that its path had then. The key identifies the write. */
  shown: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** The last state of a file that this run wrote, by path. */
  written: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** Hashes of task and file. The user allowed the task to change the file again for repairs. */
  repairs: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Paths of files that tasks may read, because the user allowed it. */
  read: Schema.optionalKey(Schema.Array(Schema.String))
})
export type GrantSnapshot = typeof GrantSnapshot.Type

/** A call or an access, with the task that wants it. */
interface Grantable extends Asked {
  readonly hash: string
  readonly task: string
}

/** Identifies a write by its tool, path and content. The same write has the same key in all tasks. */
const writeKey = ({ tool }: Asked, write: WriteAccess): string => hashOf([tool, { ...plainAccess(write) }])

/** Identifies an effect by its tool and targets, whatever the content. */
const effectKey = ({ accesses, arguments: given, tool }: Asked): string =>
  hashOf([tool, accesses.length === 0 ? (given ?? null) : accesses.map(accessTarget)])

/**
 * The keys of an excluded call. The first is its hash. The second also excludes the same arguments in any other task.
 * The third also excludes calls with the same effect in its own task.
 *
 * In a conversation, the hash is the only key, because the next message may ask for the same effect.
 */
const exclusionKeys = (question: Grantable): ReadonlyArray<string> =>
  question.task === askTask
    ? [question.hash]
    : [
        question.hash,
        hashOf(["excluded", question.tool, question.arguments ?? null]),
        hashOf(["excluded", question.task, effectKey(question)])
      ]

/**
 * The files that the user can let the task change again for repairs, together with this call. Empty if the call has
 * other effects, or needs a question each time.
 */
export const repairedFiles = (asked: Asked): ReadonlyArray<WriteAccess> => {
  const writes = writesIn(asked.accesses)
  return writes.length === asked.accesses.length && sessionScopes(asked) !== undefined ? writes : []
}

const writtenState = ({ content, from, kind, removes }: WriteAccess): string => {
  if (removes === true) return "absent"
  if (kind === "link") return linkState(content)
  return from?.state ?? textHash(content)
}

const addAll = <A>(to: Map<string, A>, from: Readonly<Record<string, A>> = {}): void => {
  for (const [key, value] of Object.entries(from)) to.set(key, value)
}

/** The answers of one run, empty at first. */
export class Grants {
  readonly #approved = new Set<string>()
  readonly #excluded = new Set<string>()
  readonly #session = new Map<string, string>()
  /** For each plan, by its key: who approved all remaining steps. */
  readonly plans = new Map<string, AnsweredBy>()
  readonly #denied = new Map<string, number>()
  readonly #shownStates = new Map<string, string>()
  /** The last state of each file that this run wrote. */
  readonly written = new Map<string, string>()
  /**
   * The expected states of each file, by path: the states that the user saw when allowing a write, and the allowed
   * contents.
   */
  readonly #expectedStates = new Map<string, Set<string>>()
  readonly #repairs = new Set<string>()
  readonly #read = new Set<string>()
  /**
   * Replies of the model with a call that the user denied. The gate does not ask about the other calls of such a reply.
   */
  readonly declinedReplies = new Set<string>()

  /**
   * Tells which earlier answer decides about a call. Undefined if none does.
   * - `excluded`: the user left this call out of its step. That answer also excludes the same arguments in another
   *   task, and the same tool on the same targets in this task.
   * - `step`: the user approved exactly this call, and saw the current state of its files.
   * - `session`: the session covers the call, and the user saw the current state of its files.
   * - `repair`: the call changes files that its task may repair. This run wrote the files, and nobody has changed them
   *   since.
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
   * True if each file of an approved write still has the state that the user saw or that this run wrote. Otherwise the
   * gate asks again. Ignores writes that the user never saw.
   */
  #isAsShown(asked: Asked): boolean {
    return writesIn(asked.accesses).every((write) => {
      const shown = this.#shownStates.get(writeKey(asked, write))
      return shown === undefined || write.found === shown || write.found === this.written.get(write.path)
    })
  }

  /** True if the user allowed reading the file in this run, so that its content may be revealed. */
  wasRead(path: string): boolean {
    return this.#read.has(path)
  }

  /**
   * The files to write whose current state comes from somebody else: the user did not see this state, and this run did
   * not write it.
   */
  changedSince(question: Asked): ReadonlyArray<string> {
    const isOther = ({ found, path }: WriteAccess): boolean => {
      const known = this.#expectedStates.get(path)
      return known !== undefined && found !== undefined && !known.has(found) && found !== this.written.get(path)
    }
    return writesIn(question.accesses).flatMap((write) => (isOther(write) ? [write.path] : []))
  }

  /** Notes, for each file to write, the state that the user saw and the content that the user allowed. */
  addShown(asked: Asked): void {
    for (const write of writesIn(asked.accesses)) {
      if (write.found !== undefined) this.#shownStates.set(writeKey(asked, write), write.found)
      const known = this.#expectedStates.get(write.path) ?? new Set()
      this.#expectedStates.set(write.path, known.add(write.found ?? "").add(textHash(write.content)))
    }
  }

  /**
   * Notes that the call may run. From then on the contents of the files that it reads may be revealed, and the new
   * states of the files that it writes are allowed.
   */
  addAllowed(asked: Asked): void {
    for (const access of asked.accesses) {
      if (access._tag === "ReadFile") this.#read.add(access.path)
      if (access._tag === "WriteFile") this.written.set(access.path, writtenState(access))
    }
  }

  /** Allows calls of a step by hash. */
  addApproved(hashes: ReadonlyArray<string>): void {
    for (const hash of hashes) this.#approved.add(hash)
  }

  addExcluded(asked: Grantable): void {
    for (const key of exclusionKeys(asked)) this.#excluded.add(key)
  }

  /** Allows the task further changes of the files that this call changes, without another question. */
  addRepairs(asked: Grantable): void {
    for (const { path } of repairedFiles(asked)) this.#repairs.add(hashOf([asked.task, path]))
  }

  /** Allows a call for the session, unless it needs a question each time. */
  addSession(asked: Asked): void {
    for (const { covers, key } of sessionScopes(asked) ?? []) this.#session.set(hashOf(key), covers)
  }

  /** What the user allowed for the session, as text. */
  session(): ReadonlyArray<string> {
    return [...this.#session.values()]
  }

  endSteps(): void {
    this.#approved.clear()
  }

  /** How often the user denied the same effect so far. */
  denials(asked: Asked): number {
    return this.#denied.get(effectKey(asked)) ?? 0
  }

  /** Counts a denial by the user. Returns how often the same effect was denied. */
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
      shown: Object.fromEntries(this.#shownStates),
      written: Object.fromEntries(this.written),
      repairs: [...this.#repairs],
      read: [...this.#read]
    }
  }

  /** Adds the answers from another process of the same run. */
  restore({ approved, denied, excluded, plans, session, ...others }: GrantSnapshot): void {
    this.addApproved(approved)
    for (const key of excluded) this.#excluded.add(key)
    for (const path of others.read ?? []) this.#read.add(path)
    for (const file of others.repairs ?? []) this.#repairs.add(file)
    addAll(this.#shownStates, others.shown)
    addAll(this.written, others.written)
    addAll(this.#session, session)
    addAll(this.plans, plans)
    for (const [key, times] of Object.entries(denied)) {
      this.#denied.set(key, Math.max(times, this.#denied.get(key) ?? 0))
    }
  }
}

/** The answers that one process of the run collected, for another process. */
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
    /** All denials so far, in order. */
    denials: Effect.sync(() => denials),
    addDenial: (denied: PermissionDenied) => Effect.sync(() => void (denials = [...denials, denied])),
    /** What the user wanted in place of declined calls, in order. */
    requestedChanges: Effect.sync(() => requestedChanges),
    addRequestedChange: (change: RequestedChange) =>
      Effect.sync(() => void (requestedChanges = [...requestedChanges, change])),
    /** Rules that were added during the run. They last until its end. */
    addedRules: Effect.sync(() => addedRules),
    addRule: (rule: SourcedRule): Effect.Effect<void> => Effect.sync(() => void (addedRules = [...addedRules, rule])),
    /** Ends the permissions for a step, so that a later step needs new ones. */
    endSteps: Effect.sync(() => grants.endSteps()),
    /** The answers so far, for another process that runs tasks of this run. */
    snapshot: Effect.sync((): AnswerSnapshot => ({ grants: grants.snapshot(), denials, wishes: requestedChanges })),
    /** Adds the answers from another process of this run. */
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
  /** The answers of a new run. */
  static readonly layer = () => Layer.effect(this, this.make)
}
