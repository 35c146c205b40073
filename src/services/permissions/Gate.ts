/**
 * The only place that decides whether an effect may happen: tool calls, references outside the project, fetches. It holds
 * the grants of one run and issues permits, without which no tool runs.
 */
import * as Effect from "effect/Effect"
import type { CanonicalAccess, ReadAccess, Start } from "../../domain/tools/Access.ts"
import { Approver } from "../approvals/Approver.ts"
import { isForPerson } from "./ApprovalView.ts"
import {
  questionOfAccess,
  PermissionDenied,
  SavedDenial,
  maxDenials,
  deniedOf,
  type GateQuestion,
  questionOfCall,
  beforeRun,
  type QuestionScope
} from "./GateQuestion.ts"
import { Grants, GrantSnapshot } from "./Grants.ts"
import { type SourcedRule, type GateOptions, makePolicyEvaluator, readOnlyReason } from "./PolicyEvaluator.ts"
import type { InDoubtCall, CallIntent, FileState } from "../../domain/journal/JournalRecord.ts"
import {
  type ApprovalItem,
  RequestedChange,
  type StepApproved,
  type StepGate
} from "../../domain/permissions/ApprovalItem.ts"
import { hashOf } from "../files/Hash.ts"
import { fileState, Workspace } from "../files/Workspace.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Arr from "effect/Array"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { PreparedCall } from "../../domain/tools/ToolCall.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import { askCall, approveStep, askPerson, type GateContext } from "./GateApproval.ts"
import { Policies } from "./Policies.ts"
import { makeReadNotes, type ReadSource } from "./ReadNotes.ts"

/** The rules that deny an access; none when it is that nobody can be asked. `tool` is what a rule would name. */
export interface CertainDenial {
  readonly tool: string
  readonly rules: ReadonlyArray<SourcedRule>
}

/**
 * What the files say of a call in doubt: as they were before means that nothing happened, as they were to become means that
 * it did; otherwise nothing here can tell.
 */
const verdictOfFiles = Effect.fnUntraced(function* (files: ReadonlyArray<FileState>, workspace: Workspace["Service"]) {
  if (files.length === 0) return undefined
  const states = yield* Effect.forEach(files, ({ path }) =>
    Effect.all([fileState(workspace, path), workspace.state(path)])
  )
  const isAs = (index: number, wanted: string | null): boolean =>
    states[index]?.some((state) => state === wanted || state === `link ${wanted}`) === true
  /* Where both texts are the same, the call changes something else, and may be made again. */
  if (files.every(({ before }, index) => isAs(index, before))) return "again"
  if (files.every(({ after }, index) => isAs(index, after))) return "done"
  /* Of several files some are as they were, and the call goes on with them. */
  return files.length > 1 && files.every(({ after, before }, index) => isAs(index, before) || isAs(index, after))
    ? "again"
    : undefined
})

/** What a person has to know besides about calls in doubt, where other machines make calls of the same run; a sentence. */
export const DoubtNote: Context.Reference<string | undefined> = Context.Reference(
  "task-conductor/services/permissions/Gate/DoubtNote",
  { defaultValue: (): string | undefined => undefined }
)

/** What a person is shown of a call in doubt; a command as one would type it. */
const doubtItem = (
  { call, files, targets, task }: CallIntent,
  nameOf: (path: string) => string,
  note: string | undefined
): ApprovalItem => {
  const names = targets.map(nameOf)
  const [command] = call.name === "run_command" ? names : []
  return {
    task,
    words: {
      ...(command === undefined
        ? { does: [`use ${call.name}`, ...(names.length === 0 ? [] : [names.join(", ")])].join(" on ") }
        : { does: "run a command", command }),
      consequence: "When it happened, running it again does it a second time.",
      isCalm: false
    },
    tool: call.name,
    call,
    risk: "high",
    targets,
    warnings: [
      "This call was begun before the run broke off, and nobody knows whether it happened.",
      ...(files.length === 0
        ? []
        : ["A file that it writes is neither as it was before the call nor as the call would leave it."]),
      ...(note === undefined ? [] : [note])
    ]
  }
}

const undecided =
  "was begun before the run broke off, and only you can say whether it happened: go on with the run on a terminal, or say it with resume --in-doubt"

/** Decides by the files, else by asking. Fails when the run is to stop. */
const resolveInDoubt = Effect.fn("Gate.resolveInDoubt")(function* (
  intent: InDoubtCall,
  { approver, doubtNote, events, evaluator, withMutex, workspace }: GateContext
) {
  const verdict = yield* verdictOfFiles(intent.files, workspace)
  if (verdict !== undefined) return verdict
  const item = doubtItem(intent, evaluator.nameOf, doubtNote)
  /* An answer counts for this beginning of the call: one that is begun again can come into doubt again. */
  const hash = hashOf([intent.key, intent.seq])
  const ask = Effect.gen(function* () {
    yield* events.publish({ type: "approval.requested", scope: "doubt", title: intent.task, hash, items: [item] })
    const answered = yield* approver.inDoubt(item, hash)
    yield* events.publish({ type: "approval.answered", scope: "doubt", hash, ...answered })
    return answered
  })
  const { answer, by } = yield* withMutex(ask)
  if (answer !== "stop") return answer
  const why = by === "nobody" ? { by, reason: undecided } : { by: "person" as const }
  return yield* new PermissionDenied({ tool: intent.call.name, targets: intent.targets, ...why })
})

/**
 * Who may change the project now. A run holds its project from its first change to its end. A conversation can be open for
 * hours: it unlocks the project when the message is answered. The gate claims the lock when something is about to be changed,
 * and waits for whoever has it; the conversation releases it.
 */
export class ProjectWriteLock extends Context.Service<
  ProjectWriteLock,
  {
    /**
     * Holds the project from now on, once no other process does; `waits` is told who does, as a sentence. Gives why not, when
     * it cannot be locked.
     */
    readonly claim: (waits: (text: string) => Effect.Effect<void>) => Effect.Effect<string | undefined>
    /** Lets others work in the project again. */
    readonly release: Effect.Effect<void>
  }
>()("task-conductor/services/permissions/ProjectWriteLock") {
  /** The project is held as a whole by whoever provides this, so that no call has to claim it. */
  static readonly layerHeld = Layer.succeed(ProjectWriteLock)({ claim: () => Effect.undefined, release: Effect.void })
}

/** The denial of what nothing can allow. */
const protectedOf = (question: GateQuestion, reason: string) =>
  deniedOf(question, "rule", { reason, ...(reason === readOnlyReason ? { leftOut: true } : {}) })

/** The question about reading a file of the project. */
const readingOf = (scope: QuestionScope, path: string) =>
  questionOfAccess(scope, { _tag: "ReadFile", path, inside: true })

/** How a change was allowed that repairs an approved one. */
const repairs = { answer: "repairs", by: "person" } as const

const isSameRequest = (a: RequestedChange, b: RequestedChange): boolean =>
  a.declined === b.declined && a.instead === b.instead

/** Permission to run one prepared call once. Only the gate can make one; a copy is not valid. */
export interface Permit {
  readonly prepared: PreparedCall
  /** Decides about an access that is known only while the call runs, such as the next hop of a redirect. */
  readonly admit: (access: CanonicalAccess) => Effect.Effect<void, PermissionDenied>
  /** What `admit` denied last, if anything. */
  readonly denied: () => PermissionDenied | undefined
  /** True when a file of the project may be read without a question; asks nobody and remembers nothing. */
  readonly mayRead: (path: string) => Effect.Effect<boolean>
}

/** The permits that were issued and not used. Nothing outside this file can add one. */
const issued = new WeakSet<Permit>()

const issue = (given: Permit): Permit => {
  const permit = Object.freeze(given)
  issued.add(permit)
  return permit
}

/** Marks a permit as used. False for one that the gate did not issue, or that was used before. */
export const redeem = (permit: Permit): boolean => issued.delete(permit)

/** The answers that one gate has in a run, for another gate of the same run. */
export const GateSnapshot = Schema.Struct({
  grants: GrantSnapshot,
  denials: Schema.Array(SavedDenial),
  wishes: Schema.optionalKey(Schema.Array(RequestedChange))
})
export type GateSnapshot = typeof GateSnapshot.Type

export class Gate extends Context.Service<
  Gate,
  {
    /**
     * Decides about one prepared call of a task: rules first, then what was approved for exactly these calls, then the
     * approver. Every denial is recorded for the outcome of the run.
     */
    authorize(scope: QuestionScope, prepared: PreparedCall): Effect.Effect<Permit, PermissionDenied>
    /**
     * A permit to propose changes of files in the working copy of a task. Nothing is asked, since nothing is changed before the
     * proposal is approved; what can never be approved is denied at once.
     */
    authorizeProposal(scope: QuestionScope, prepared: PreparedCall): Effect.Effect<Permit, PermissionDenied>
    /**
     * Decides whether a call of a tool that changes a file of the project may tell what the file holds, as a diff and the reason of a
     * change that does not fit do: as reading it, unless a rule allows the change.
     */
    authorizeLook(scope: QuestionScope, tool: string, path: string): Effect.Effect<void, PermissionDenied>
    /** Decides about reading outside the project or fetching, for a reference of a task. Reads inside need no question. */
    authorizeReference(scope: QuestionScope, access: CanonicalAccess): Effect.Effect<void, PermissionDenied>
    /**
     * Decides about what a run needs before it begins: the code of a plugin, a server, the file in view. A denial is not
     * part of the outcome of the run and has no event, since the run has not begun.
     */
    authorizeStart(start: Start | ReadAccess): Effect.Effect<void, PermissionDenied>
    /**
     * Asks about the concrete calls of a step, which may run when approved; they are identified by their hash. A task that
     * is gated by risk alone needs no question when rules allow every call of it that is not safe.
     */
    approveStep(step: StepGate): Effect.Effect<StepApproved>
    /** Decides what to do about a call in doubt: run it again, or take it as done. */
    resolveInDoubt(intent: InDoubtCall): Effect.Effect<"again" | "done", PermissionDenied>
    /**
     * Shows the person a question of the model, and gives the answer in words; nothing where there is none. `place` is what asks:
     * the same question is asked there once.
     */
    askPerson(place: string, text: string): Effect.Effect<string | undefined>
    /** Notes what the person has said: its words and links may stand in a URL. */
    noteSaid(text: string): Effect.Effect<void>
    /** Notes what the model is shown: a URL that was made from it is asked about. */
    noteRead(text: string, source: ReadSource): Effect.Effect<void>
    /** True when rules let a file of the project be read without a question; asks nobody and remembers nothing. */
    mayRead(path: string): Effect.Effect<boolean>
    /** True when rules let a file of the project be read, or it was allowed to be read in this run; asks nobody. */
    mayShow(path: string): Effect.Effect<boolean>
    /** Why an access would certainly be denied, for a reference of a plan; asks nobody and records nothing. */
    foresee(access: CanonicalAccess): Effect.Effect<CertainDenial | undefined>
    /** True when a call may be made without a question; asks nobody and records nothing. */
    isAllowed(scope: QuestionScope, prepared: PreparedCall): Effect.Effect<boolean>
    /** Everything that was denied so far, in order. */
    readonly denials: Effect.Effect<ReadonlyArray<PermissionDenied>>
    /** Everything that a person wants instead of what they declined so far, in order. */
    readonly requestedChanges: Effect.Effect<ReadonlyArray<RequestedChange>>
    /** Everything that was allowed for the session so far, in words. */
    readonly sessionGrants: Effect.Effect<ReadonlyArray<string>>
    /** Adds a rule of the person for as long as this gate decides. */
    addRule(rule: SourcedRule): Effect.Effect<void>
    /** The rules that were added so. */
    readonly addedRules: Effect.Effect<ReadonlyArray<SourcedRule>>
    /** Ends what was approved with steps: the same call is asked about again. */
    readonly endSteps: Effect.Effect<void>
    /** The answers so far, for the gate of another process that runs tasks of this run. */
    readonly snapshot: Effect.Effect<GateSnapshot>
    /** Adds the answers of another gate of this run. */
    restore(snapshot: GateSnapshot): Effect.Effect<void>
  }
>()("task-conductor/services/permissions/Gate") {
  static readonly layer = (options: GateOptions = {}) =>
    Layer.effect(
      Gate,
      Effect.gen(function* () {
        const approver = yield* Approver
        const lock = yield* ProjectWriteLock
        const policies = yield* Policies
        const events = yield* RunEvents
        const workspace = yield* Workspace
        const rules = [...(options.rules ?? [])]
        const evaluator = yield* makePolicyEvaluator({ ...options, rules })
        const grants = new Grants()
        let denials: ReadonlyArray<PermissionDenied> = []
        let requestedChanges: ReadonlyArray<RequestedChange> = []
        const tellWait = (text: string) => events.publish({ type: "message", level: "info", text })
        const declinedAnswers = new Set<string>()
        const noteDeclined = ({ answer }: GateQuestion, { by }: PermissionDenied) =>
          Effect.sync(() => void (by === "person" && answer !== undefined && declinedAnswers.add(answer)))
        const addDenial = (denied: PermissionDenied) => Effect.sync(() => (denials = [...denials, denied]))
        const addRequestedChange = (one: RequestedChange) =>
          Effect.sync(() => {
            requestedChanges = [...requestedChanges, one]
            evaluator.seen.addSaid(one.instead)
          })
        const withMutex = (yield* Semaphore.make(1)).withPermits(1)
        const offersRepairs = options.askFirst === true
        const context = {
          doubtNote: yield* DoubtNote,
          addRequestedChange,
          approver,
          events,
          evaluator,
          grants,
          offersRepairs,
          policies,
          withMutex,
          workspace
        }

        /** True when nobody needs to be asked. */
        const isDecided = Effect.fnUntraced(function* (
          question: GateQuestion,
          report: (event: RunEvent) => Effect.Effect<void>
        ) {
          const { verdict } = yield* evaluator.evaluate(question)
          if (verdict === "deny") return yield* deniedOf(question, "rule")
          const before = grants.denials(question)
          if (before >= maxDenials) return yield* deniedOf(question, "person", { times: before })
          if (question.answer !== undefined && declinedAnswers.has(question.answer)) {
            return yield* deniedOf(question, "person", { unasked: true })
          }
          if (grants.isExcluded(question)) {
            return yield* deniedOf(question, "person", { times: grants.countDenial(question) })
          }
          if (verdict === "allow" || grants.isGranted(question)) return true
          const isRepair = grants.isRepair(question)
          if (isRepair) yield* report({ type: "approval.answered", scope: "call", hash: question.hash, ...repairs })
          return isRepair
        })

        const admit = Effect.fnUntraced(function* (
          question: GateQuestion,
          report: (event: RunEvent) => Effect.Effect<void>
        ) {
          const reason =
            evaluator.protection(question) ??
            (evaluator.changesProject(question) ? yield* lock.claim(tellWait) : undefined)
          if (reason !== undefined) return yield* protectedOf(question, reason)
          /* An answer to another question may have resolved this one while it waited. */
          const askUnlessDecided = Effect.flatMap(isDecided(question, report), (decided) =>
            decided
              ? Effect.void
              : Effect.tapError(askCall(question, report, context), (denied) => noteDeclined(question, denied))
          )
          if (!(yield* isDecided(question, report))) yield* withMutex(askUnlessDecided)
          evaluator.noteWrites(question)
          grants.addRead(question)
        })

        /** Decides for a task of the run, and records a denial. */
        const admitTask = (question: GateQuestion) => Effect.tapError(admit(question, events.publish), addDenial)

        const { noteRead, noteSaid } = makeReadNotes(evaluator)
        const verdictOn = (question: GateQuestion) => Effect.map(evaluator.evaluate(question), ({ verdict }) => verdict)

        const mayRead = (path: string) =>
          Effect.map(verdictOn(readingOf(beforeRun, path)), (verdict) => verdict === "allow")

        const mayShow = (path: string) =>
          Effect.map(
            verdictOn(readingOf(beforeRun, path)),
            (verdict) => verdict === "allow" || (verdict === "ask" && grants.wasRead(path))
          )

        const authorizeLook = Effect.fn("Gate.authorizeLook")(function* (
          scope: QuestionScope,
          tool: string,
          path: string
        ) {
          if (yield* mayShow(path)) return
          const access = { _tag: "WriteFile", path, inside: true, content: "" } as const
          const writing = { ...questionOfAccess(scope, access), tool }
          const verdict = yield* verdictOn(writing)
          if (verdict === "allow") return
          /* A denial has the words of that of the change itself: a right guess gets the same answer as a wrong one. */
          const decided =
            verdict === "deny"
              ? deniedOf(writing, "rule")
              : Effect.mapError(
                  admit(readingOf(scope, path), events.publish),
                  ({ isRead: _isRead, ...denied }) => new PermissionDenied({ ...denied, tool })
                )
          yield* Effect.tapError(decided, addDenial)
        })

        const foresee = Effect.fn("foreseeDenial")(function* (access: CanonicalAccess) {
          const question = evaluator.withCarried(questionOfAccess({ task: "", place: "" }, access))
          const { risk, task, tool } = question
          const { rules, verdict } = yield* evaluator.evaluate(question)
          if (verdict === "deny") return { tool, rules }
          if (verdict === "allow" || grants.isGranted(question)) return undefined
          const { canAsk, leaves } = approver
          const item = { task, tool, risk, targets: [], ...(isForPerson(question) ? { personOnly: true } : {}) }
          if (leaves !== undefined && !leaves(item)) return undefined
          return canAsk === undefined || (yield* canAsk) ? undefined : { tool, rules: [] }
        })

        const permitFor = (scope: QuestionScope, prepared: PreparedCall): Permit => {
          let denied: PermissionDenied | undefined
          return issue({
            prepared,
            admit: (access) =>
              Effect.tapError(admitTask(questionOfAccess(scope, access)), (found) =>
                Effect.sync(() => void (denied = found))
              ),
            denied: () => denied,
            mayRead
          })
        }

        const isAllowed = Effect.fnUntraced(function* (scope: QuestionScope, prepared: PreparedCall) {
          const question = evaluator.withCarried(questionOfCall(scope, prepared))
          if (evaluator.protection(question) !== undefined) return false
          const verdict = yield* verdictOn(question)
          return verdict === "allow" || (verdict === "ask" && grants.isGranted(question))
        })

        return Gate.of({
          isAllowed,
          authorize: Effect.fnUntraced(function* (scope, prepared) {
            const question = evaluator.withCarried(questionOfCall(scope, prepared))
            yield* admitTask(question)
            grants.addWritten(question)
            return permitFor(scope, prepared)
          }),
          authorizeProposal: Effect.fnUntraced(function* (scope, prepared) {
            const question = questionOfCall(scope, prepared)
            const reason = evaluator.protection(question)
            const { verdict } = yield* evaluator.evaluate(question)
            if (reason === undefined && verdict !== "deny") return permitFor(scope, prepared)
            const denied = reason === undefined ? deniedOf(question, "rule") : protectedOf(question, reason)
            yield* addDenial(denied)
            return yield* denied
          }),
          authorizeLook,
          authorizeReference: Effect.fn("Gate.authorizeReference")((scope, access) =>
            admitTask(evaluator.withCarried(questionOfAccess(scope, access)))
          ),
          authorizeStart: Effect.fn("Gate.authorizeStart")((start) =>
            admit(questionOfAccess(beforeRun, start), () => Effect.void)
          ),
          resolveInDoubt: (intent) => Effect.tapError(resolveInDoubt(intent, context), addDenial),
          approveStep: (step) => approveStep(step, context),
          askPerson: (place, text) =>
            Effect.tap(withMutex(askPerson(place, text, context)), (answer) => noteSaid(answer ?? "")),
          noteSaid,
          noteRead,
          mayRead,
          mayShow,
          foresee,
          denials: Effect.sync(() => denials),
          requestedChanges: Effect.sync(() => requestedChanges),
          endSteps: Effect.sync(() => void grants.endSteps()),
          sessionGrants: Effect.sync(() => grants.session()),
          addedRules: Effect.sync(() => rules.slice(options.rules?.length ?? 0)),
          addRule: (rule) => Effect.sync(() => void rules.push(rule)),
          snapshot: Effect.sync(() => ({ grants: grants.snapshot(), denials, wishes: requestedChanges })),
          restore: (snapshot) =>
            Effect.sync(() => {
              grants.restore(snapshot.grants)
              denials = Arr.union(denials, snapshot.denials)
              requestedChanges = Arr.unionWith(requestedChanges, snapshot.wishes ?? [], isSameRequest)
            })
        })
      })
    )
}
