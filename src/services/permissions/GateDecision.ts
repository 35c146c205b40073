/** Decides about a question by rules and earlier answers. Asks nobody and stores nothing. */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { Approver } from "../approvals/Approver.ts"
import { Workspace } from "../files/Workspace.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { isForUser, type GateQuestion, type PermissionDenied, deniedOf, maxDenials } from "./GateQuestion.ts"
import { type GateOptions, type SourcedRule, makePolicy, readOnlyReason } from "./Policy.ts"
import { ProjectWriteLock } from "../files/ProjectWriteLock.ts"
import { ReadTexts, withCarriedTexts } from "./ReadTexts.ts"
import { RunAnswers } from "./RunAnswers.ts"
import type { Decision } from "../../domain/permissions/Decision.ts"

export const makeGateContext = Effect.fnUntraced(function* (options: GateOptions) {
  const answers = yield* RunAnswers
  const readTexts = yield* ReadTexts
  return {
    answers,
    approver: yield* Approver,
    events: yield* RunEvents,
    lock: yield* ProjectWriteLock,
    options,
    policy: yield* makePolicy(options, { addedRules: answers.addedRules, written: answers.grants.written }),
    readTexts,
    /** Shows only one question at a time. */
    withMutex: (yield* Semaphore.make(1)).withPermits(1),
    /** Marks accesses to URLs that contain text which the model has read. The rules and the user need to know this. */
    withKnown: withCarriedTexts(readTexts),
    workspace: yield* Workspace
  }
})
export type GateContext = Effect.Success<ReturnType<typeof makeGateContext>>

interface Decided {
  /** The question, with the facts that the gate added. */
  readonly question: GateQuestion
  /** The rules that match the question. Empty if its risk decides. */
  readonly rules: ReadonlyArray<SourcedRule>
}

export type GateDecision =
  | (Decided & {
      readonly _tag: "Allow"
      readonly by: "proposal" | "rules" | "risk" | "step" | "session" | "repair" | "answer"
    })
  | GateDenial
  | (Decided & { readonly _tag: "Ask" })

export interface GateDenial extends Decided {
  readonly _tag: "Deny"
  /**
   * What caused the denial:
   * - `protection`: the access is protected.
   * - `rules`: a rule denies it.
   * - `exclusion`: the user excluded the call from its step.
   * - `denials`: the user denied the same effect, or another call of the same reply.
   * - `nobody`: nobody can be asked.
   */
  readonly by: "protection" | "rules" | "exclusion" | "denials" | "nobody"
  readonly denied: PermissionDenied
}

const deniedBy = {
  protection: "rule",
  rules: "rule",
  exclusion: "person",
  denials: "person",
  nobody: "nobody"
} as const

const deny = (
  question: GateQuestion,
  by: GateDenial["by"],
  rules: ReadonlyArray<SourcedRule> = [],
  more: Parameters<typeof deniedOf>[2] = {}
): GateDenial => ({ _tag: "Deny", question, rules, by, denied: deniedOf(question, deniedBy[by], more) })

/**
 * Predicts the decision about a question, without asking. If only the user could decide but nobody can be asked, the
 * result is a denial.
 */
export const foresee = Effect.fnUntraced(function* (question: GateQuestion, context: GateContext) {
  const decision = yield* decideQuestion(question, context)
  if (decision._tag !== "Ask") return decision
  const { canAsk, leaves } = context.approver
  const { risk, task, tool } = question
  const item = { task, tool, risk, targets: [], ...(isForUser(question) && { personOnly: true }) }
  const isAnswered = leaves?.(item) === false || (yield* canAsk ?? Effect.succeed(true))
  return isAnswered ? decision : deny(question, "nobody")
})

/**
 * What the rules decide about a question. If a change would reveal the content of a file, the question is about reading
 * this file. Then a rule that allows the change also allows the read. An earlier permission to read the file allows it
 * too.
 */
const judge = Effect.fnUntraced(function* (question: GateQuestion, { answers, policy }: GateContext) {
  const judged = yield* policy.evaluate(question)
  const { accesses, revealedBy } = question
  if (revealedBy === undefined || judged.verdict === "allow") return judged
  const paths = accesses.flatMap((access) => (access._tag === "ReadFile" ? [access.path] : []))
  const allowed: Decision<SourcedRule> = { verdict: "allow", rules: [] }
  if (judged.verdict === "ask" && paths.every((path) => answers.grants.wasRead(path))) return allowed
  const writes = paths.map((path) => ({ _tag: "WriteFile", path, inside: true, content: "" }) as const)
  const change = yield* policy.evaluate({ ...question, tool: revealedBy, risk: "high", accesses: writes })
  return change.verdict === "ask" ? judged : change
})

/**
 * Decides by the first of these that applies: protection, rules that deny, answers that deny, rules and answers that
 * allow.
 *
 * A change of a working copy needs no question, because the gate asks before the change reaches the project. It is
 * denied only by protection or by a rule.
 */
export const decideQuestion = Effect.fnUntraced(function* (
  question: GateQuestion,
  context: GateContext
): Effect.fn.Return<GateDecision> {
  const { answers, policy } = context
  const { grants } = answers
  const reason = question.revealedBy === undefined ? policy.protection(question) : undefined
  if (reason !== undefined) {
    return deny(question, "protection", [], { reason, leftOut: reason === readOnlyReason ? true : undefined })
  }
  const { rules, verdict } = yield* judge(question, context)
  if (verdict === "deny") return deny(question, "rules", rules)
  if (question.isProposal === true) return { _tag: "Allow", question, rules, by: "proposal" }
  if (question.revealedBy !== undefined && verdict === "allow") return { _tag: "Allow", question, rules, by: "rules" }
  const times = grants.denials(question)
  if (times >= maxDenials) return deny(question, "denials", rules, { times })
  if (question.reply !== undefined && grants.declinedReplies.has(question.reply)) {
    return deny(question, "denials", rules, { unasked: true })
  }
  const answered = grants.answerTo(question)
  if (answered === "excluded") return deny(question, "exclusion", rules, { times: times + 1 })
  const byRules = rules.length > 0 ? "rules" : "risk"
  if (verdict === "allow" && byRules === "rules") return { _tag: "Allow", question, rules, by: byRules }
  if (answered !== undefined) return { _tag: "Allow", question, rules, by: answered }
  return verdict === "allow" ? { _tag: "Allow", question, rules, by: byRules } : { _tag: "Ask", question, rules }
})
