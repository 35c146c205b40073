/**
 * Asks the user about calls and accesses that the rules do not decide. Stores each answer before the next question. An
 * answer is valid for one call or for the session. An answer that is saved as rules is valid for later runs, too.
 */
import * as Effect from "effect/Effect"
import type { CallIntent, UncertainCall } from "../../domain/journal/JournalRecord.ts"
import type { RequestedChange } from "../../domain/permissions/ApprovalItem.ts"
import { type Rule, ruleText } from "../../domain/permissions/Permission.ts"
import { canRemember } from "../../domain/permissions/PolicyFormat.ts"
import { exactPattern } from "../../domain/permissions/TargetPattern.ts"
import type { EventOf, RunEvent } from "../../domain/runs/RunEvent.ts"
import { definedFields } from "../../domain/text/DefinedFields.ts"
import { accessTarget } from "../../domain/tools/Access.ts"
import type { Answered, AnsweredBy, AnyAnswer, CallAnswer } from "../../domain/permissions/Answer.ts"
import { unanswered } from "../approvals/Approver.ts"
import { hashOf } from "../files/Hash.ts"
import { type GateQuestion, PermissionDenied, deniedOf, onlyReads, userQuestionId, questionId } from "./GateQuestion.ts"
import type { GateContext } from "./GateDecision.ts"
import { makeItem, uncertainItem } from "./QuestionItem.ts"

/**
 * The event for an answer. If the answer is no, the event contains what the user wants instead. If it is yes, the event
 * contains the rules that the user chose.
 */
export const answerEvent = (
  scope: EventOf<"approval.answered">["scope"],
  hash: string,
  { always = [], answer, by, instead, text }: Answered<AnyAnswer>
): EventOf<"approval.answered"> =>
  definedFields({
    type: "approval.answered" as const,
    scope,
    hash,
    ...(typeof answer === "object" ? { answer: "chosen" as const, chosen: answer.chosen } : { answer }),
    by,
    instead: answer === "decline" || answer === "deny" ? instead : undefined,
    text,
    always: (answer === "step" || answer === "remember") && always.length > 0 ? always : undefined
  })

/** Asks a question, with an event before and after it. */
export const put = <A extends AnyAnswer>(
  question: Omit<EventOf<"approval.requested">, "type">,
  answer: Effect.Effect<Answered<A>>,
  report: (event: RunEvent) => Effect.Effect<void>
): Effect.Effect<Answered<A>> =>
  report({ type: "approval.requested", ...question }).pipe(
    Effect.andThen(answer),
    Effect.tap((answered) => report(answerEvent(question.scope, question.hash, answered)))
  )

/**
 * Stores what the user wants in place of a declined call. A URL may contain these words, because the user said them.
 */
export const keepRequest = (requested: RequestedChange, { answers, readTexts }: GateContext) =>
  Effect.andThen(answers.addRequestedChange(requested), readTexts.noteSaid(requested.instead))

/** Rules that allow exactly the accesses of a call. */
const exactRules = ({ accesses, tool }: GateQuestion): ReadonlyArray<Rule> =>
  accesses.length === 0
    ? [{ verdict: "allow", tool }]
    : accesses.map((access) => ({ verdict: "allow", tool, pattern: exactPattern(accessTarget(access)) }))

/**
 * Saves rules after a yes. The rules that the user chose apply to this project. If the user chose none, rules for
 * exactly the accesses of the call apply to all projects. Returns a sentence for the user if saving failed.
 */
export const saveRules = (chosen: ReadonlyArray<string>, question: GateQuestion, { policy }: GateContext) => {
  const { folder, offers, root } = policy
  const { pin, risk, tool } = question
  const isForProject = chosen.length > 0
  if (!isForProject && !canRemember(question)) {
    const why = risk === "high" ? "A call of high risk" : "A call that needs a question each time"
    return Effect.succeed(`${why} is never remembered: ${tool} is allowed for this run only.`)
  }
  const place = isForProject ? { project: root, folder } : {}
  const rules = isForProject ? offers(question).filter((rule) => chosen.includes(ruleText(rule))) : exactRules(question)
  const otherwise = isForProject ? "This call is allowed once." : "The answer counts for this run."
  return Effect.forEach(rules, (rule) => policy.remember(definedFields({ ...rule, ...place, pin }))).pipe(
    Effect.as(undefined),
    Effect.catchTag("PolicyFileError", ({ message }) => Effect.succeed(`${message} ${otherwise}`))
  )
}

/** Stores the yes of the user to one call. Returns a sentence for the user if saving failed. */
const keepYes = (
  question: GateQuestion,
  { always = [], answer, by }: Answered<CallAnswer>,
  context: GateContext
): Effect.Effect<string | undefined> => {
  const { grants } = context.answers
  const isForProject = answer === "remember" && always.length > 0
  if (by === "person") grants.addShown(question)
  if (answer === "repairs" && context.options.askFirst === true) grants.addRepairs(question)
  /**
   * A rule for this project allows only what its text says. A permission for the session could allow more, so none is
   * added.
   */
  if ((answer === "session" || answer === "remember") && !isForProject) grants.addSession(question)
  return answer === "remember" ? saveRules(always, question, context) : Effect.undefined
}

/** Asks the user about one call or access. Fails if the answer is no. */
export const askCall = Effect.fnUntraced(function* (
  question: GateQuestion,
  report: (event: RunEvent) => Effect.Effect<void>,
  context: GateContext
) {
  const { answers, approver, policy } = context
  const { accesses, task: title, tool } = question
  const hash = questionId(question)
  const item = yield* makeItem(question, { isAlone: true }, context)
  const answered = yield* put({ scope: "call", title, hash, items: [item] }, approver.call(item, hash), report)
  const { answer, by, instead } = answered
  if (answer !== "deny") {
    const warning = yield* keepYes(question, answered, context)
    return warning === undefined ? undefined : yield* report({ type: "message", level: "warning", text: warning })
  }
  if (instead !== undefined) {
    const declined = [tool, ...accesses.map(accessTarget)].join(" ")
    const isRead = onlyReads(question) && { isRead: true }
    yield* keepRequest({ declined, instead, task: title, tool, ...isRead }, context)
  }
  if (by === "nobody") return yield* deniedOf(question, by, yield* policy.remedy(question))
  const times = by === "person" ? answers.grants.countDenial(question) : undefined
  if (by === "person" && question.reply !== undefined) answers.grants.declinedReplies.add(question.reply)
  return yield* deniedOf(question, by, { times, instead })
})

/** Asks the user whether an uncertain call happened. */
export const askUncertain = Effect.fn("Gate.askUncertain")(function* (intent: UncertainCall, context: GateContext) {
  const { answers, approver, events, withMutex } = context
  const item = uncertainItem(intent, context)
  /** The answer holds only for this attempt, because a repeated call can become uncertain again. */
  const hash = hashOf([intent.key, intent.seq])
  const shown = { scope: "doubt", title: intent.task, hash, items: [item] } as const
  const answered = yield* withMutex(put(shown, approver.inDoubt(item, hash), events.publish))
  if (answered.answer === "stop") yield* answers.addDenial(stoppedAt(intent, answered.by))
  return answered
})

/**
 * A question of the model to the user. `place` names the part of the run that asks. Each part asks the same question
 * only once.
 */
export interface WordsQuestion {
  readonly place: string
  readonly text: string
}

export const askWords = Effect.fn("Gate.askWords")(function* (
  { place, text: title }: WordsQuestion,
  { approver, events, readTexts, withMutex }: GateContext
) {
  const hash = userQuestionId(place, title)
  const answer = approver.question?.(title, hash) ?? unanswered("nobody")
  const asked = put({ scope: "question", title, hash, items: [] }, answer, events.publish)
  return yield* Effect.tap(withMutex(asked), ({ text = "" }) => readTexts.noteSaid(text))
})

/** The denial that stops the run, because nobody decided about an uncertain call. */
export const stoppedAt = ({ call, targets }: CallIntent, by: AnsweredBy): PermissionDenied => {
  const reason =
    "was begun before the run broke off, and only you can say whether it happened: go on with the run on a terminal, or say it with resume --in-doubt"
  const more = by === "nobody" ? { by, reason } : { by: "person" as const }
  return new PermissionDenied({ tool: call.name, targets, ...more })
}
