/**
 * Asks what rules leave open, and keeps the answer before the next question is shown: what it allows for this call, for the
 * session, or as rules for later runs.
 */
import * as Effect from "effect/Effect"
import type { CallIntent, FileState, UncertainCall } from "../../domain/journal/JournalRecord.ts"
import type { ApprovalItem, RequestedChange } from "../../domain/permissions/ApprovalItem.ts"
import { type Rule, ruleText } from "../../domain/permissions/Permission.ts"
import { type RememberedRule, canRemember } from "../../domain/permissions/PolicyFormat.ts"
import { exactPattern } from "../../domain/permissions/TargetPattern.ts"
import type { EventOf, RunEvent } from "../../domain/runs/RunEvent.ts"
import { definedFields } from "../../domain/text/DefinedFields.ts"
import { accessTarget } from "../../domain/tools/Access.ts"
import type { Answered, AnsweredBy, AnyAnswer, CallAnswer } from "../../domain/permissions/Answer.ts"
import { unanswered } from "../approvals/Approver.ts"
import { hashOf } from "../files/Hash.ts"
import {
  type GateQuestion,
  PermissionDenied,
  deniedOf,
  onlyReads,
  personQuestionId,
  questionId
} from "./GateQuestion.ts"
import type { GateContext } from "./GateDecision.ts"
import { makeItem } from "./QuestionItem.ts"
import { type Workspace, fileState } from "../files/Workspace.ts"

/** An answer as its event holds it: what a no wants instead, and the rules that a yes chose. */
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

/** Shows a question, and reports it with its answer. */
export const put = <A extends AnyAnswer>(
  shown: Omit<EventOf<"approval.requested">, "type">,
  answer: Effect.Effect<Answered<A>>,
  report: (event: RunEvent) => Effect.Effect<void>
): Effect.Effect<Answered<A>> =>
  report({ type: "approval.requested", ...shown }).pipe(
    Effect.andThen(answer),
    Effect.tap((answered) => report(answerEvent(shown.scope, shown.hash, answered)))
  )

/** What the user wants instead of what they declined; its words are theirs. */
export const keepRequest = (requested: RequestedChange, { answers, readTexts }: GateContext) =>
  Effect.andThen(answers.addRequestedChange(requested), readTexts.noteSaid(requested.instead))

/** Saves rules; gives the sentence for the user when that is not possible, with what counts then. */
const saveRules = (
  rules: ReadonlyArray<Rule>,
  { otherwise, pin, ...place }: Pick<RememberedRule, "folder" | "pin" | "project"> & { readonly otherwise: string },
  { policy }: GateContext
) =>
  Effect.forEach(rules, (rule) => policy.remember({ ...rule, ...place, ...(pin && { pin }) })).pipe(
    Effect.as(undefined),
    Effect.catchTag("PolicyFileError", ({ message }) => Effect.succeed(`${message} ${otherwise}`))
  )

/** Remembers it for every project; gives the sentence for the user when it counts for this run only. */
const rememberEverywhere = (question: GateQuestion, context: GateContext) => {
  const { accesses, pin, risk, tool } = question
  if (!canRemember(question)) {
    const why = risk === "high" ? "A call of high risk" : "What is asked each time"
    return Effect.succeed(`${why} is never remembered: ${tool} is allowed for this run only.`)
  }
  const patterns = accesses.map((access) => exactPattern(accessTarget(access)))
  const rules: ReadonlyArray<Rule> =
    patterns.length === 0
      ? [{ verdict: "allow", tool }]
      : patterns.map((pattern) => ({ verdict: "allow", tool, pattern }))
  return saveRules(rules, { pin, otherwise: "The answer counts for this run." }, context)
}

/** Remembers for this project the rules that the user chose by their text. */
export const rememberInProject = (chosen: ReadonlyArray<string>, question: GateQuestion, context: GateContext) => {
  const { folder, offers, root } = context.policy
  const rules = offers(question).filter((rule) => chosen.includes(ruleText(rule)))
  const place = { pin: question.pin, project: root, ...(folder !== undefined && { folder }) }
  return saveRules(rules, { ...place, otherwise: "What was asked about is allowed once." }, context)
}

/** Keeps a yes to one call; gives the sentence for the user when it could not be saved. */
const rememberCall = (
  question: GateQuestion,
  { always = [], answer, by }: Answered<CallAnswer>,
  context: GateContext
): Effect.Effect<string | undefined> => {
  const { answers, options } = context
  const { grants } = answers
  const isForProject = answer === "remember" && always.length > 0
  if (by === "person") grants.addShown(question)
  if (answer === "repairs" && options.askFirst === true) grants.addRepairs(question)
  /* A rule for the project covers what its text says, which may be less than the session would. */
  if ((answer === "session" || answer === "remember") && !isForProject) grants.addSession(question)
  if (answer !== "remember") return Effect.undefined
  return isForProject ? rememberInProject(always, question, context) : rememberEverywhere(question, context)
}

/** Asks about one call or access. Fails when it is not allowed. */
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
    const warning = yield* rememberCall(question, answered, context)
    return warning === undefined ? undefined : yield* report({ type: "message", level: "warning", text: warning })
  }
  if (instead !== undefined) {
    const declined = [tool, ...accesses.map(accessTarget)].join(" ")
    const isRead = onlyReads(question) && { isRead: true }
    yield* keepRequest({ declined, instead, task: title, tool, ...isRead }, context)
  }
  if (by === "nobody") return yield* deniedOf(question, by, yield* policy.remedy(question))
  const times = by === "person" ? answers.grants.countDenial(question) : undefined
  if (by === "person" && question.answer !== undefined) answers.grants.declinedAnswers.add(question.answer)
  return yield* deniedOf(question, by, { times, instead })
})

/** Decides about an uncertain call by its files, else by asking. */
export const askUncertain = Effect.fn("Gate.askUncertain")(function* (
  intent: UncertainCall,
  { answers, approver, events, options, policy, withMutex, workspace }: GateContext
) {
  const verdict = yield* verdictOfFiles(intent.files, workspace)
  if (verdict !== undefined) return { answer: verdict, by: "rule" as const }
  const item = uncertainItem(intent, policy.nameOf, options.doubtNote)
  /* An answer counts for this beginning of the call: one that is begun again can come into doubt again. */
  const hash = hashOf([intent.key, intent.seq])
  const shown = { scope: "doubt", title: intent.task, hash, items: [item] } as const
  const answered = yield* withMutex(put(shown, approver.inDoubt(item, hash), events.publish))
  if (answered.answer === "stop") yield* answers.addDenial(stoppedAt(intent, answered.by))
  return answered
})

/** A question of the model. `place` is what asks: the same question is asked there once. */
export interface WordsQuestion {
  readonly place: string
  readonly text: string
}

export const askWords = Effect.fn("Gate.askWords")(function* (
  { place, text: title }: WordsQuestion,
  { approver, events, readTexts, withMutex }: GateContext
) {
  const hash = personQuestionId(place, title)
  const answer = approver.question?.(title, hash) ?? unanswered("nobody")
  const asked = put({ scope: "question", title, hash, items: [] }, answer, events.publish)
  return yield* Effect.tap(withMutex(asked), ({ text = "" }) => readTexts.noteSaid(text))
})

/**
 * What the files say: as they were before means that nothing happened, as they were to become means that it did; otherwise
 * nothing here can tell.
 */
const verdictOfFiles = Effect.fnUntraced(function* (files: ReadonlyArray<FileState>, workspace: Workspace["Service"]) {
  if (files.length === 0) return undefined
  const states = yield* Effect.forEach(files, ({ path }) =>
    Effect.all([fileState(workspace, path), workspace.state(path)])
  )
  const isAs = (index: number, wanted: string | null): boolean =>
    states[index]?.some((state) => state === wanted || state === `link ${wanted}`) === true
  /* Where both texts are the same, the call changes something else, and may be made again. */
  if (files.every(({ before }, index) => isAs(index, before))) return "again" as const
  if (files.every(({ after }, index) => isAs(index, after))) return "done" as const
  /* Of several files some are as they were, and the call goes on with them. */
  return files.length > 1 && files.every(({ after, before }, index) => isAs(index, before) || isAs(index, after))
    ? ("again" as const)
    : undefined
})

/** What the user is shown of the call; a command as one would type it. */
const uncertainItem = (
  { call, files, targets, task }: CallIntent,
  nameOf: (path: string) => string,
  note: string | undefined
): ApprovalItem => {
  const names = targets.map(nameOf)
  const [command] = call.name === "run_command" ? names : []
  const on = names.length === 0 ? "" : ` on ${names.join(", ")}`
  return {
    task,
    words: {
      ...(command === undefined ? { does: `use ${call.name}${on}` } : { does: "run a command", command }),
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

/** The run is to stop, since nobody has decided about the call. */
export const stoppedAt = ({ call, targets }: CallIntent, by: AnsweredBy): PermissionDenied => {
  const reason =
    "was begun before the run broke off, and only you can say whether it happened: go on with the run on a terminal, or say it with resume --in-doubt"
  const more = by === "nobody" ? { by, reason } : { by: "person" as const }
  return new PermissionDenied({ tool: call.name, targets, ...more })
}
