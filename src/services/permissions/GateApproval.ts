/**
 * Asks about what rules leave open: the calls of a step together, or one call; and keeps the answers.
 */
import * as Effect from "effect/Effect"
import {
  type RequestedChange,
  type GatedTask,
  type StepApproved,
  type StepGate,
  type ApprovalItem,
  checksPlanKey,
  conflictingWriteNote,
  conflictingWrites,
  type TouchingTask
} from "../../domain/permissions/ApprovalItem.ts"
import { type Approver, type StepAnswer, unanswered } from "../approvals/Approver.ts"
import type { RunEvents } from "../runs/RunEvents.ts"
import { type ViewContext, alwaysOffers, itemOf, withOffers } from "./ApprovalView.ts"
import { type Grants, repairedFiles } from "./Grants.ts"
import type { Policies } from "./Policies.ts"
import { ruleText, type Rule } from "../../domain/permissions/Permission.ts"
import { type RememberedRule, canRemember, sessionScopes } from "../../domain/permissions/PolicyFormat.ts"
import { exactPattern } from "../../domain/permissions/TargetPattern.ts"
import { stepText } from "../../domain/plan/TaskName.ts"
import { withoutProject } from "../../domain/text/Format.ts"
import { accessTarget } from "../../domain/tools/Access.ts"
import { type GateQuestion, afterWrites, deniedOf, onlyReads, personQuestionId, questionId } from "./GateQuestion.ts"
import { allowedFacts, callsToAsk, type DecidedCall, possibleCalls } from "./StepCalls.ts"
import { hashOf } from "../files/Hash.ts"
import { CurrentCopy, makeWorkingCopy } from "../files/WorkingCopy.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"

/** More rules than these say nothing: then `--yes` is what helps. */
const mostNamedRules = 5

/** What the questions of a gate need: the rules, the grants of the run, who answers, and where it is reported. */
export interface GateContext extends ViewContext {
  readonly approver: Approver["Service"]
  readonly events: RunEvents["Service"]
  readonly policies: Policies["Service"]
  readonly grants: Grants
  /** What a person has to know besides about calls in doubt. */
  readonly doubtNote: string | undefined
  /** True when a yes may also cover what repairs the change. */
  readonly offersRepairs: boolean
  /** Takes what a person wants instead. */
  readonly addRequestedChange: (requested: RequestedChange) => Effect.Effect<void>
  /** Lets one question be shown at a time. */
  readonly withMutex: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>
}

/** Remembers rules; gives the sentence for the person when that is not possible, with what counts then. */
const rememberAll = (
  rules: ReadonlyArray<Rule>,
  { otherwise, ...more }: Pick<RememberedRule, "pin" | "project"> & { readonly otherwise: string },
  { policies }: GateContext
) =>
  Effect.forEach(rules, (rule) => policies.remember({ ...rule, ...more })).pipe(
    Effect.as(undefined),
    Effect.catchTag("PolicyFileError", ({ message }) => Effect.succeed(`${message} ${otherwise}`))
  )

const pinned = ({ pin }: GateQuestion): Pick<RememberedRule, "pin"> => (pin === undefined ? {} : { pin })

/** Remembers it for every project; gives the sentence for the person when it counts for this run only. */
const rememberEverywhere = (question: GateQuestion, context: GateContext) => {
  const { accesses, risk, tool } = question
  if (!canRemember(question)) {
    const why = risk === "high" ? "A call of high risk" : "What is asked each time"
    return Effect.succeed(`${why} is never remembered: ${tool} is allowed for this run only.`)
  }
  const rules = accesses.map((access): Rule => {
    return { verdict: "allow", tool, pattern: exactPattern(accessTarget(access)) }
  })
  const more = { ...pinned(question), otherwise: "The answer counts for this run." }
  return rememberAll(rules.length === 0 ? [{ verdict: "allow", tool }] : rules, more, context)
}

/** Remembers for this project the rules that the person chose by their text; gives the sentence when that is not possible. */
const rememberInProject = (
  chosen: ReadonlyArray<string>,
  offered: ReadonlyArray<Rule>,
  question: GateQuestion,
  context: GateContext
) => {
  const rules = offered.filter((rule) => chosen.includes(ruleText(rule)))
  const { folder, root } = context.evaluator
  const more = { ...pinned(question), project: root, ...(folder === undefined ? {} : { folder }) }
  return rememberAll(rules, { ...more, otherwise: "What was asked about is allowed once." }, context)
}

/** The project as the calls of a task find it. */
const onTop = <A>(look: Effect.Effect<A>, { others }: Pick<GatedTask, "others">): Effect.Effect<A> =>
  others === undefined ? look : Effect.provideService(look, CurrentCopy, makeWorkingCopy(others))

/** One item of the question: a call, or a task without calls. `question` is absent for what cannot be granted. */
interface Shown {
  readonly item: ApprovalItem
  readonly question?: GateQuestion
  /** The rules for this project that are offered for it. */
  readonly offered?: ReadonlyArray<Rule>
}

/** An item with these warnings before its own. */
const withWarnings = (item: ApprovalItem, warnings: ReadonlyArray<string>): ApprovalItem =>
  warnings.length === 0 ? item : { ...item, warnings: [...warnings, ...(item.warnings ?? [])] }

/** One item of a question, which says why it is asked again. */
const seenItem = (question: GateQuestion, context: GateContext) =>
  Effect.map(itemOf(question, context), (item) =>
    withWarnings(
      item,
      context.grants
        .changedSince(question)
        .map(
          (path) => `You allowed a change of ${context.evaluator.nameOf(path)} before, and the file has changed since.`
        )
    )
  )

const shownOf = Effect.fnUntraced(function* (
  { found, task }: Pick<GatedTask, "found" | "task">,
  calls: ReadonlyArray<DecidedCall>,
  warnings: ReadonlyMap<string, string>,
  context: GateContext
): Effect.fn.Return<ReadonlyArray<Shown>> {
  if (calls.length === 0) return [{ item: { task, tool: "none", risk: "safe", targets: [] } }]
  return yield* Effect.forEach(calls, ({ problem, question }) =>
    Effect.gen(function* (): Effect.fn.Return<Shown> {
      const { evaluator } = context
      const before = found?.get(question.call?.uid ?? "")
      const look = seenItem(question, context)
      const item = yield* before === undefined
        ? look
        : Effect.provideService(look, CurrentCopy, makeWorkingCopy(before))
      if (problem !== undefined) {
        const [line = ""] = problem.split("\n")
        return { item: withWarnings(item, [`This call cannot be made now, and will fail. ${line}`]) }
      }
      const offered = question.risk === "safe" ? [] : evaluator.offersOf(question)
      const given = { ...alwaysOffers(offered), ...repairsOffer(question, context) }
      const offers = Object.keys(given).length === 0 ? {} : { offers: given }
      const about = item.targets.flatMap((target) => warnings.get(target) ?? [])
      return { item: { ...withWarnings(item, about), ...offers }, question, offered }
    })
  )
})

/** The items of a task, with what is known of the task at the last of them. */
const withFacts = (found: Effect.Effect<ReadonlyArray<Shown>>, { facts }: Pick<GatedTask, "facts">) =>
  facts === undefined
    ? found
    : Effect.map(found, (shown) =>
        shown.map((one, index) =>
          index < shown.length - 1 ? one : Object.assign({}, one, { item: { ...one.item, facts } })
        )
      )

/** Publishes a warning for every file that several tasks would write, and gives the warnings by path. */
const warnOfSharedWrites = (title: string, tasks: ReadonlyArray<TouchingTask>, events: RunEvents["Service"]) =>
  Effect.map(
    Effect.forEach(conflictingWrites(tasks), (shared) => {
      const { code, message: text } = conflictingWriteNote(title, shared)
      return Effect.as(events.publish({ type: "message", level: "warning", text, code }), [shared.path, text] as const)
    }),
    (notes) => new Map(notes)
  )

/** What "and what repairs it" would cover; nothing where it is not offered. */
const repairsOffer = (
  question: GateQuestion,
  { evaluator, offersRepairs }: GateContext
): Pick<NonNullable<ApprovalItem["offers"]>, "repairs"> => {
  const names = offersRepairs ? repairedFiles(question).map(({ path }) => evaluator.nameOf(path)) : []
  return names.length === 0 ? {} : { repairs: `later changes of ${names.join(", ")} by this task` }
}

/** Grants the approved calls. A call that is asked about each time is granted only when a person saw it. */
const grant = (
  answer: StepAnswer,
  wasSeen: boolean,
  shown: ReadonlyArray<Shown>,
  { approver, grants, offersRepairs }: Pick<GateContext, "approver" | "grants" | "offersRepairs">
): void => {
  const isLeft = ({ item, question }: Shown): boolean =>
    question === undefined || sessionScopes(question) === undefined || approver.leaves?.(item) === true
  const isApproved = (one: Shown, index: number): boolean => {
    if (typeof answer === "object") return answer.chosen.includes(index + 1)
    return answer !== "decline" && (wasSeen || !isLeft(one))
  }
  const hashesOf = (some: ReadonlyArray<Shown>) => some.flatMap(({ question }) => question?.hash ?? [])
  const approved = shown.filter(isApproved)
  for (const { question } of approved) if (wasSeen && question !== undefined) grants.addShown(question)
  const questions = approved.flatMap(({ question }) => question ?? [])
  if (answer === "repairs" && offersRepairs) for (const question of questions) grants.addRepairs(question)
  /* A command may run what a write on the same screen brings, which was shown with it. */
  grants.addHashes([...hashesOf(approved), ...questions.map((question) => afterWrites(question, questions).hash)])
  if (typeof answer !== "object") return
  for (const [index, one] of shown.entries()) {
    if (one.question !== undefined && !isApproved(one, index)) grants.addExcluded(one.question)
  }
}

/** Says which rules would allow what nobody can be asked about. */
const sayRules = Effect.fnUntraced(function* (
  title: string,
  shown: ReadonlyArray<Shown>,
  { evaluator, events }: GateContext
) {
  const flags = yield* Effect.forEach(shown, ({ question }) =>
    question === undefined
      ? Effect.undefined
      : Effect.map(evaluator.remedyOf(question), (more) => deniedOf(question, "nobody", more).flags)
  )
  const known = new Set(flags.flatMap((one) => one ?? []))
  if (known.size === 0 || known.size > mostNamedRules || flags.includes(undefined)) return
  const rules = withoutProject([...known].join(" "), evaluator.root)
  const text = `Nobody can be asked about "${stepText(title)}". These rules allow it: ${rules}`
  yield* events.publish({ type: "message", level: "info", text })
})

/** Asks once about all tasks of the step that need it, and grants the calls by their hash. */
export const approveStep = Effect.fn("Gate.approveStep")(function* (
  { planKey, tasks, title }: StepGate,
  context: GateContext
): Effect.fn.Return<StepApproved> {
  const { addRequestedChange, approver, evaluator, events, grants, withMutex } = context
  const decided = yield* Effect.forEach(tasks, (task) =>
    Effect.map(onTop(possibleCalls(task, planKey, evaluator, grants), task), (calls) => ({
      ...task,
      calls,
      /* What is left out of a task is denied without a question. */
      asked: calls.length === 0 && task.calls.length > 0 ? undefined : callsToAsk(task.gatedBy, calls, grants)
    }))
  )
  const touching = decided.map(({ calls, task }) => ({
    task,
    accesses: calls.flatMap(({ question }) => question.accesses)
  }))
  const warnings = yield* warnOfSharedWrites(title, touching, events)
  const open = decided.flatMap(({ asked, facts = [], ...task }) => {
    if (asked === undefined) return []
    const all = [...facts, ...allowedFacts(task.calls, asked, evaluator)]
    return [{ ...task, asked, ...(all.length === 0 ? {} : { facts: all }) }]
  })
  /* What changes something is left out, whatever a person says; the rest asks by itself. */
  if (open.length === 0 || evaluator.isReadOnly) return { approved: true, by: "rule" }
  const found = yield* Effect.forEach(open, (one) =>
    withFacts(onTop(shownOf(one, one.asked, warnings, context), one), one)
  )
  const shown = found.flat()
  const items = shown.map(({ item }) => item)
  const hashes = shown.flatMap(({ question }) => question?.hash ?? [])
  const hash = hashOf([planKey, open.map(({ task }) => task), hashes])
  const ask = Effect.gen(function* () {
    const approvedBy = grants.planApprovedBy(planKey)
    if (approvedBy !== undefined) {
      return { answer: "remaining" as const, by: approvedBy, wasSeen: false, instead: undefined, always: undefined }
    }
    yield* events.publish({ type: "approval.requested", scope: "step", title, hash, items })
    const given = yield* approver.step(title, items, hash)
    return { instead: undefined, always: undefined, ...given, wasSeen: given.by === "person" }
  })
  const { always = [], answer, by, instead, wasSeen } = yield* withMutex(ask)
  const requested = answer === "decline" && instead !== undefined ? { instead } : {}
  if (requested.instead !== undefined) {
    const isRead = shown.every(({ question }) => question !== undefined && onlyReads(question))
    yield* addRequestedChange({ declined: title, instead: requested.instead, ...(isRead ? { isRead } : {}) })
  }
  if (answer === "decline" && by === "nobody" && planKey !== checksPlanKey) yield* sayRules(title, shown, context)
  if (answer === "remaining") grants.addPlan(planKey, by)
  grant(answer, wasSeen, shown, context)
  const isForProject = answer === "step" && always.length > 0
  const rules = isForProject ? { always } : {}
  const given = typeof answer === "object" ? { answer: "chosen" as const, ...answer } : { answer }
  yield* events.publish({ type: "approval.answered", scope: "step", hash, ...given, by, ...requested, ...rules })
  if (isForProject) {
    const problems = yield* Effect.forEach(shown, ({ offered = [], question }) =>
      question === undefined ? Effect.undefined : rememberInProject(always, offered, question, context)
    )
    const text = problems.find((one) => one !== undefined)
    if (text !== undefined) yield* events.publish({ type: "message", level: "warning", text })
  }
  return { approved: answer !== "decline", by }
})

/** Asks about one call or reference, reports the question and the answer, and keeps what the answer grants. */
export const askCall = Effect.fnUntraced(function* (
  question: GateQuestion,
  report: (event: RunEvent) => Effect.Effect<void>,
  context: GateContext
) {
  const { addRequestedChange, approver, evaluator, grants } = context
  const { task } = question
  const hash = questionId(question)
  const offered = evaluator.offersOf(question)
  const shown = withOffers(yield* seenItem(question, context), question, offered)
  const item = { ...shown, offers: { ...shown.offers, ...repairsOffer(question, context) } }
  yield* report({ type: "approval.requested", scope: "call", title: task, hash, items: [item] })
  const { always = [], answer, by, instead } = yield* approver.call(item, hash)
  const requested = answer === "deny" && instead !== undefined ? { instead } : {}
  const rules = answer === "remember" && always.length > 0 ? { always } : undefined
  yield* report({ type: "approval.answered", scope: "call", hash, answer, by, ...requested, ...rules })
  if (answer === "deny") {
    const declined = [question.tool, ...question.accesses.map(accessTarget)].join(" ")
    const kind = onlyReads(question) ? { isRead: true } : {}
    if (instead !== undefined) yield* addRequestedChange({ declined, instead, task, tool: question.tool, ...kind })
    const times = by === "person" ? { times: grants.countDenial(question) } : {}
    const more = by === "nobody" ? yield* evaluator.remedyOf(question) : { ...times, ...requested }
    return yield* deniedOf(question, by, more)
  }
  if (by === "person") grants.addShown(question)
  /* A rule for the project covers what its text says, which may be less than the session would. */
  if (answer === "repairs" && context.offersRepairs) grants.addRepairs(question)
  if ((answer === "session" || answer === "remember") && rules === undefined) grants.addSession(question)
  if (answer !== "remember") return
  const warning = yield* always.length > 0
    ? rememberInProject(always, offered, question, context)
    : rememberEverywhere(question, context)
  if (warning !== undefined) yield* report({ type: "message", level: "warning", text: warning })
})

/** Asks a question of the model, and reports it with its answer. */
export const askPerson = Effect.fn("Gate.askPerson")(function* (
  place: string,
  title: string,
  { approver, events }: Pick<GateContext, "approver" | "events">
) {
  const hash = personQuestionId(place, title)
  yield* events.publish({ type: "approval.requested", scope: "question", title, hash, items: [] })
  const answered = yield* approver.question?.(title, hash) ?? unanswered("nobody")
  yield* events.publish({ type: "approval.answered", scope: "question", hash, ...answered })
  return answered.text
})
