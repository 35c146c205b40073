/**
 * The calls of a task that a step asks about: what is denied or allowed by rules is left out, and named.
 */
import * as Effect from "effect/Effect"
import { type GatedTask } from "../../domain/permissions/ApprovalItem.ts"
import type { Decision } from "../../domain/permissions/Decision.ts"
import { ruleText } from "../../domain/permissions/Permission.ts"
import { accessTarget } from "../../domain/tools/Access.ts"
import { askTask } from "../../domain/runs/ActivityKey.ts"
import { type GateQuestion, questionOfCall } from "./GateQuestion.ts"
import type { Grants } from "./Grants.ts"
import type { PolicyEvaluator } from "./PolicyEvaluator.ts"

export interface DecidedCall {
  readonly question: GateQuestion
  readonly decision: Decision
  /** Why the call cannot be made; it is shown, and the answer grants nothing. */
  readonly problem?: string
}

/** The calls of a task that are not denied by rules, with the decision of the rules. */
export const possibleCalls = Effect.fnUntraced(function* (
  { calls, task, unready = [] }: GatedTask,
  place: string,
  { evaluate, protection, withCarried }: PolicyEvaluator,
  grants: Grants
) {
  const scope = { task, place }
  const asked: ReadonlyArray<Omit<DecidedCall, "decision">> = [
    ...calls.map((call) => ({ question: withCarried(questionOfCall(scope, call)) })),
    ...unready.map(({ call, info, problem }) => ({
      question: questionOfCall(scope, { call, info, risk: info.risk, accesses: [] }),
      problem
    }))
  ]
  const decided = yield* Effect.forEach(
    asked.filter(
      ({ question }) => protection(question) === undefined && (task === askTask || !grants.isExcluded(question))
    ),
    (one) => Effect.map(evaluate(one.question), (decision): DecidedCall => ({ ...one, decision }))
  )
  return decided.filter(({ decision }) => decision.verdict !== "deny")
})

/** True for a call that a rule of the user allows, and that is not allowed by its risk alone. */
const isAllowedByRule = ({ decision }: DecidedCall): boolean =>
  decision.verdict === "allow" && decision.rules.length > 0

/**
 * The calls of a task that a person is asked about; nothing when the task needs no question. What rules allow, or what was approved
 * before, needs none, also when the plan or the skill wants approval. A skill of the user is asked about as a whole, as it says,
 * unless nothing of it is left to ask.
 */
export const callsToAsk = (
  gatedBy: GatedTask["gatedBy"],
  calls: ReadonlyArray<DecidedCall>,
  grants: Grants
): ReadonlyArray<DecidedCall> | undefined => {
  const isKnown = ({ question }: DecidedCall) => grants.isApproved(question) || grants.isRepair(question)
  const isAnswered = (call: DecidedCall) => isAllowedByRule(call) || isKnown(call)
  const needsNobody = calls.every((call) => isAnswered(call) || call.question.risk === "safe")
  if (needsNobody && (gatedBy === "risk" || calls.some(isAnswered))) return undefined
  return gatedBy === "skill" ? calls : calls.filter((call) => !isAllowedByRule(call))
}

/** What rules allow of a task that is asked about, one line each. */
export const allowedFacts = (
  calls: ReadonlyArray<DecidedCall>,
  asked: ReadonlyArray<DecidedCall>,
  { nameOf }: PolicyEvaluator
): ReadonlyArray<string> =>
  calls.flatMap((call) => {
    if (asked.includes(call)) return []
    const targets = call.question.accesses.map((access) => nameOf(accessTarget(access)))
    const rules = call.decision.rules.map(ruleText).join(", ")
    return [`allowed by ${rules}: ${[call.question.tool, ...targets].join(" ")}`]
  })
