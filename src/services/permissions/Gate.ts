/**
 * The only place that decides whether an effect may happen, such as a tool call, a reference outside the project, or a
 * fetch. `decide` evaluates rules and earlier answers. `ask` asks the user and stores the answer. `authorize` asks if
 * needed, and issues a permit. No tool runs without a permit.
 *
 * - `authorize` runs before each tool call, check, reference and `--file`, and before a run starts a plugin or server.
 *   After a no, the call fails with `permission_denied`. The third no to the same effect ends the task. A denied plugin
 *   or server is skipped.
 * - `ask` can cover a list of calls, called a step. A step contains one of these: the changes of a plan step or
 *   message, the commands of one answer, the checks of the project, or a task with many items. A no ends the step. A
 *   yes runs nothing: it is stored, and `authorize` finds it for each call.
 * - `ask` also handles uncertain calls after a crash, and questions of the model.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { beforeRunTask, type CallListApproval, type CallList } from "../../domain/permissions/ApprovalItem.ts"
import type { UncertainCall } from "../../domain/journal/JournalRecord.ts"
import type { CanonicalAccess } from "../../domain/tools/Access.ts"
import type { PreparedCall } from "../../domain/tools/ToolCall.ts"
import type { AnyAnswer, Answered } from "../../domain/permissions/Answer.ts"
import { type WordsQuestion, askCall, askUncertain, askWords } from "./Ask.ts"
import {
  type GateQuestion,
  type PermissionDenied,
  beforeRun,
  changesProject,
  deniedOf,
  questionOfAccess,
  questionOfReading,
  questionOfTool
} from "./GateQuestion.ts"
import { type GateContext, type GateDecision, decideQuestion, foresee, makeGateContext } from "./GateDecision.ts"
import type { GateOptions } from "./Policy.ts"
import { askCallList } from "./CallList.ts"
import { ReadTexts } from "./ReadTexts.ts"
import { RunAnswers } from "./RunAnswers.ts"

/** The permission to do one thing once. Only the gate can create it. A copy is not valid. */
export interface Permit {
  /** The call that may be made. Absent for an access of the program itself. */
  readonly prepared: PreparedCall | undefined
  /**
   * Decides about an access that becomes known during the call: the next address of a redirect, or a question of the
   * tool.
   */
  readonly admit: (access: CanonicalAccess) => Effect.Effect<void, PermissionDenied>
  /** The last denial by `admit`; undefined if there is none. */
  readonly denied: () => PermissionDenied | undefined
  /** True if a project file may be read without a question. Asks nobody and stores nothing. */
  readonly mayRead: (path: string) => Effect.Effect<boolean>
}

/** Permits that were issued and not yet used. Only this file can add one. */
const issued = new WeakSet<Permit>()

/** Uses up a permit. Returns false if the gate did not issue it, or if it was used before. */
export const redeem = (permit: Permit): boolean => issued.delete(permit)

/** The questions for the user: about the calls of a step, about an uncertain call, or from the model. */
export type OpenQuestion =
  | ({ readonly scope: "step" } & CallList)
  | { readonly scope: "doubt"; readonly intent: UncertainCall }
  | ({ readonly scope: "question" } & WordsQuestion)

/** Asks a question that waited for its turn, unless an earlier answer has already decided it. */
const askIfOpen = Effect.fnUntraced(function* (question: GateQuestion, context: GateContext) {
  const decision = yield* decideQuestion(question, context)
  if (decision._tag !== "Ask") return decision
  yield* askCall(question, question.task === beforeRunTask ? () => Effect.void : context.events.publish, context)
  return { ...decision, _tag: "Allow" as const, by: "answer" as const }
})

/**
 * Decides about a question, by asking the user if necessary. For an allowed call, stores which files it reads and
 * writes.
 */
const admit = Effect.fnUntraced(function* (question: GateQuestion, context: GateContext) {
  const { answers, events, lock, policy, withMutex } = context
  const claims = changesProject(question) && policy.protection(question) === undefined
  const reason = claims
    ? yield* lock.claim((text) => events.publish({ type: "message", level: "info", text }))
    : undefined
  if (reason !== undefined) return yield* deniedOf(question, "rule", { reason })
  const first = yield* decideQuestion(question, context)
  const decision: GateDecision = first._tag === "Ask" ? yield* withMutex(askIfOpen(question, context)) : first
  if (decision._tag === "Deny") {
    if (decision.by === "exclusion") answers.grants.countDenial(question)
    return yield* decision.denied
  }
  const by = decision._tag === "Allow" ? decision.by : undefined
  if (by === "repair") {
    const { hash } = question
    yield* events.publish({ type: "approval.answered", scope: "call", hash, answer: "repairs", by: "person" })
  }
  const isOnlyRevealed = question.revealedBy !== undefined && by === "rules"
  if (question.isProposal !== true && !isOnlyRevealed) answers.grants.addAllowed(question)
})

/** Decides about a question as `admit` does. Records a denial if the run has begun. */
const admitRecorded = (question: GateQuestion, context: GateContext) =>
  question.task === beforeRunTask
    ? admit(question, context)
    : Effect.tapError(admit(question, context), context.answers.addDenial)

const issue = (question: GateQuestion, context: GateContext): Permit => {
  let denied: PermissionDenied | undefined
  let asked = 0
  const questionOf = (access: CanonicalAccess): GateQuestion =>
    access._tag === "Other" ? questionOfTool(question, access, ++asked) : questionOfAccess(question, access)
  const permit: Permit = Object.freeze({
    prepared: question.prepared,
    // The next address of a redirect is not searched for texts that the model read. The server chose this address, not
    // the model, so it reveals no more data than the address before it.
    admit: (access: CanonicalAccess) =>
      Effect.suspend(() => admitRecorded(questionOf(access), context)).pipe(
        Effect.tapError((denial) => Effect.sync(() => void (denied = denial)))
      ),
    denied: () => denied,
    mayRead: (path: string) => Effect.map(decideQuestion(questionOfReading(beforeRun, path), context), isAllowedByRules)
  })
  issued.add(permit)
  return permit
}

export class Gate extends Context.Service<
  Gate,
  {
    /**
     * Returns the decision of rules and earlier answers. If they do not decide, says whether anybody can be asked. Asks
     * nobody and stores nothing.
     */
    decide(question: GateQuestion): Effect.Effect<GateDecision>
    /** Asks one question at a time, and stores the answer before the next one. */
    ask(question: OpenQuestion): Effect.Effect<Answered<AnyAnswer>>
    /** Allows one call or access, by asking the user if necessary. Records every denial for the outcome of the run. */
    authorize(question: GateQuestion): Effect.Effect<Permit, PermissionDenied>
  }
>()("task-conductor/services/permissions/Gate") {
  /** The gate of one run. It has its own answers, and its own record of the texts that the model read. */
  static readonly layer = (options: GateOptions = {}) =>
    Layer.unwrap(
      Effect.sync(() => {
        const since = options.since ?? Date.now()
        const own = Layer.provideMerge(ReadTexts.layer(since), RunAnswers.layer())
        const gate = Effect.map(makeGateContext({ ...options, since }), makeGate)
        return Layer.provideMerge(Layer.effect(Gate, gate), own)
      })
    )
}

const makeGate = (context: GateContext): Gate["Service"] => ({
  decide: (question) => foresee(context.withKnown(question), context),
  ask: (question) => {
    if (question.scope === "step") return askCallList(question, context)
    return question.scope === "doubt" ? askUncertain(question.intent, context) : askWords(question, context)
  },
  authorize: Effect.fn("Gate.authorize")(function* (asked) {
    const question = context.withKnown(asked)
    yield* admitRecorded(question, context)
    return issue(question, context)
  })
})

export const approveCalls = (gate: Gate["Service"], step: CallList): Effect.Effect<CallListApproval> =>
  Effect.map(gate.ask({ scope: "step", ...step }), ({ answer, by }) => ({ approved: answer !== "decline", by }))

const isAllowedByRules = (decision: GateDecision): boolean =>
  decision._tag === "Allow" && (decision.by === "rules" || decision.by === "risk")

/** True if rules allow reading a project file without a question. */
export const mayRead =
  ({ decide }: Pick<Gate["Service"], "decide">) =>
  (path: string): Effect.Effect<boolean> =>
    Effect.map(decide(questionOfReading(beforeRun, path)), isAllowedByRules)

/** True if rules allow reading a project file, or the user allowed it in this run. */
export const mayShow =
  ({ decide }: Pick<Gate["Service"], "decide">) =>
  (path: string): Effect.Effect<boolean> =>
    Effect.map(decide(questionOfReading(beforeRun, path, "read_file")), ({ _tag }) => _tag === "Allow")

/**
 * The denial of an access, if it is certain in advance: by rules, by protection, or because nobody can be asked.
 * Otherwise undefined.
 */
export const foreseeDenial = ({ decide }: Pick<Gate["Service"], "decide">, access: CanonicalAccess) =>
  Effect.map(decide(questionOfAccess({ task: "", place: "" }, access)), (decision) =>
    decision._tag !== "Deny" || decision.by === "denials" || decision.by === "exclusion" ? undefined : decision
  )
