/** Asks one question about a list of calls, after deciding about each call separately. */
import * as Effect from "effect/Effect"
import {
  type ApprovalItem,
  type CallList,
  type GatedCall,
  type GatedTask,
  checksPlanKey
} from "../../domain/permissions/ApprovalItem.ts"
import { ruleText } from "../../domain/permissions/Permission.ts"
import { sessionScopes } from "../../domain/permissions/PolicyFormat.ts"
import { conflictingWriteNote, conflictingWrites } from "../../domain/plan/ConflictingWrites.ts"
import { stepText } from "../../domain/plan/TaskName.ts"
import { withoutProject } from "../../domain/text/Format.ts"
import { accessTarget } from "../../domain/tools/Access.ts"
import { askTask } from "../../domain/runs/ActivityKey.ts"
import type { Answered, StepAnswer } from "../../domain/permissions/Answer.ts"
import { hashOf } from "../files/Hash.ts"
import { CurrentCopy, makeWorkingCopy } from "../files/WorkingCopy.ts"
import { answerEvent, keepRequest, saveRules } from "./Ask.ts"
import { type GateQuestion, afterWrites, deniedOf, onlyReads, questionOfCall } from "./GateQuestion.ts"
import { type GateContext, type GateDecision, decideQuestion } from "./GateDecision.ts"
import { makeItem } from "./QuestionItem.ts"

/** The maximum number of rules that the message names. If there are more, the message suggests `--yes` instead. */
const mostNamedRules = 5

/** A call of a step, and the decision about it. */
interface ListedCall {
  readonly call: GatedCall
  readonly decision: GateDecision
}

/** One item of the question about a step. `question` is absent if the call cannot be allowed. */
interface ListedItem {
  readonly item: ApprovalItem
  readonly question?: GateQuestion
}

/** True if a rule of the user allows the call. False if only its low risk allows it. */
const isAllowedByRule = ({ decision }: ListedCall): boolean => decision._tag === "Allow" && decision.by === "rules"

/** True if a rule or an earlier answer about a step allows the call. */
const isAnswered = (call: ListedCall): boolean => {
  const { decision } = call
  return isAllowedByRule(call) || (decision._tag === "Allow" && (decision.by === "step" || decision.by === "repair"))
}

/**
 * Returns the calls of a task without those that are certainly denied. In a conversation, calls that the user excluded
 * earlier stay, because the user may be asked about them again.
 */
const possibleCalls = Effect.fnUntraced(function* ({ calls, task }: GatedTask, place: string, context: GateContext) {
  const decided = yield* Effect.forEach(calls, (call) => {
    const question = context.withKnown(questionOfCall({ task, place }, call))
    return Effect.map(decideQuestion(question, context), (decision): ListedCall => ({ call, decision }))
  })
  return decided.filter(({ decision }) => {
    if (decision._tag !== "Deny") return true
    return decision.by === "denials" || (decision.by === "exclusion" && task === askTask)
  })
})

/**
 * The calls of a task that the question shows. Undefined if the task needs no question.
 *
 * Allowed calls need no question, even if the plan or the skill requires approval. But if a skill of the user requires
 * approval and any call is undecided, the question shows all calls.
 */
const callsToAsk = (
  gatedBy: GatedTask["gatedBy"],
  calls: ReadonlyArray<ListedCall>
): ReadonlyArray<ListedCall> | undefined => {
  const needsNobody = calls.every((call) => isAnswered(call) || call.decision.question.risk === "safe")
  if (needsNobody && (gatedBy === "risk" || calls.some(isAnswered))) return undefined
  return gatedBy === "skill" ? calls : calls.filter((call) => !isAllowedByRule(call))
}

/** One line for each call that rules allow. */
const allowedFacts = (
  calls: ReadonlyArray<ListedCall>,
  askedCalls: ReadonlyArray<ListedCall>,
  nameOf: (path: string) => string
): ReadonlyArray<string> =>
  calls.flatMap((call) => {
    if (askedCalls.includes(call)) return []
    const { question, rules } = call.decision
    const targets = question.accesses.map((access) => nameOf(accessTarget(access)))
    return [`allowed by ${rules.map(ruleText).join(", ")}: ${[question.tool, ...targets].join(" ")}`]
  })

/** Runs `look` on the project as it is after the changes in `others`. Later calls build on these changes. */
const onTop = <A>(look: Effect.Effect<A>, others: GatedTask["others"]): Effect.Effect<A> =>
  others === undefined ? look : Effect.provideService(look, CurrentCopy, makeWorkingCopy(others))

/** The items of the question about a task. The last one also shows the facts about the task. */
const itemsOf = Effect.fnUntraced(function* (
  { facts = [], task }: GatedTask,
  calls: ReadonlyArray<ListedCall>,
  warnings: ReadonlyMap<string, string>,
  context: GateContext
): Effect.fn.Return<ReadonlyArray<ListedItem>> {
  const items = yield* Effect.forEach(calls, ({ call: { problem, project }, decision: { question } }) =>
    onTop(
      Effect.map(makeItem(question, { isAlone: false, problem, warnings }, context), (item): ListedItem =>
        problem === undefined ? { item, question } : { item }
      ),
      project
    )
  )
  const last = items.at(-1) ?? { item: { task, tool: "none", risk: "safe", targets: [] } }
  return [...items.slice(0, -1), facts.length === 0 ? last : { ...last, item: { ...last.item, facts } }]
})

/** Warnings about files that several tasks would write, by path. */
const warnOfSharedWrites = (
  title: string,
  tasks: ReadonlyArray<{ readonly task: string; readonly listed: ReadonlyArray<ListedCall> }>,
  { events }: GateContext
) => {
  const touching = tasks.map(({ listed, task }) => ({ task, accesses: listed.flatMap(({ call }) => call.accesses) }))
  return Effect.map(
    Effect.forEach(conflictingWrites(touching), (shared) => {
      const { code, message: text } = conflictingWriteNote(title, shared)
      return Effect.as(events.publish({ type: "message", level: "warning", text, code }), [shared.path, text] as const)
    }),
    (notes) => new Map(notes)
  )
}

/** If nobody can be asked, reports which rules would allow the calls. */
const sayRules = Effect.fnUntraced(function* (
  title: string,
  listed: ReadonlyArray<ListedItem>,
  { events, policy }: GateContext
) {
  const flags = yield* Effect.forEach(listed, ({ question }) =>
    question === undefined
      ? Effect.undefined
      : Effect.map(policy.remedy(question), (remedy) => deniedOf(question, "nobody", remedy).flags)
  )
  const known = new Set(flags.flatMap((flag) => flag ?? []))
  if (known.size === 0 || known.size > mostNamedRules || flags.includes(undefined)) return
  const rules = withoutProject([...known].join(" "), policy.root)
  const text = `Nobody can be asked about "${stepText(title)}". These rules allow it: ${rules}`
  yield* events.publish({ type: "message", level: "info", text })
})

/** Stores the answer to a step. Calls that need a question each time are allowed only if the user saw them. */
const rememberStep = Effect.fnUntraced(function* (
  listed: ReadonlyArray<ListedItem>,
  { always = [], answer }: Answered<StepAnswer>,
  wasSeen: boolean,
  context: GateContext
) {
  const { answers, approver, options } = context
  const { grants } = answers
  const isLeft = ({ item, question }: ListedItem): boolean =>
    question === undefined || sessionScopes(question) === undefined || approver.leaves?.(item) === true
  const isApproved = (one: ListedItem, index: number): boolean => {
    if (typeof answer === "object") return answer.chosen.includes(index + 1)
    return answer !== "decline" && (wasSeen || !isLeft(one))
  }
  const questions = listed.filter(isApproved).flatMap(({ question }) => question ?? [])
  for (const question of questions) {
    if (wasSeen) grants.addShown(question)
    if (answer === "repairs" && options.askFirst === true) grants.addRepairs(question)
  }
  /**
   * A command may run a script that another call of the question changes. The user saw this change, so the answer
   * covers the changed script, too.
   */
  grants.addApproved(questions.flatMap((question) => [question.hash, afterWrites(question, questions).hash]))
  if (typeof answer === "object") {
    const excluded = listed.filter((one, index) => !isApproved(one, index))
    for (const { question } of excluded) if (question !== undefined) grants.addExcluded(question)
  }
  if (answer !== "step" || always.length === 0) return undefined
  const problems = yield* Effect.forEach(listed, ({ question }) =>
    question === undefined || question.risk === "safe" ? Effect.undefined : saveRules(always, question, context)
  )
  return problems.find((problem) => problem !== undefined)
})

const byRule: Answered<StepAnswer> = { answer: "step", by: "rule" }

/**
 * Asks once about all undecided calls of a step. If the user approves the step, each call is allowed by its hash, so a
 * changed call is not.
 */
export const askCallList = Effect.fn("Gate.askCallList")(function* (
  { planKey, tasks, title }: CallList,
  context: GateContext
): Effect.fn.Return<Answered<StepAnswer>> {
  const { answers, approver, events, policy, withMutex } = context
  const { plans } = answers.grants
  const decided = yield* Effect.forEach(tasks, (task) =>
    Effect.map(onTop(possibleCalls(task, planKey, context), task.others), (listed) => ({ ...task, listed }))
  )
  const warnings = yield* warnOfSharedWrites(title, decided, context)
  const open = decided.flatMap(({ facts = [], listed, ...task }) => {
    /** If the user excluded all calls of a task, they are denied without a question. */
    const asked = listed.length === 0 && task.calls.length > 0 ? undefined : callsToAsk(task.gatedBy, listed)
    if (asked === undefined) return []
    return [{ ...task, asked, facts: [...facts, ...allowedFacts(listed, asked, policy.nameOf)] }]
  })
  /** A read-only run needs no question about changes. The gate asks about reads separately. */
  if (open.length === 0 || context.options.readOnly === true) return byRule
  const shownCalls = (yield* Effect.forEach(open, (task) =>
    onTop(itemsOf(task, task.asked, warnings, context), task.others)
  )).flat()
  const hashes = shownCalls.flatMap(({ question }) => question?.hash ?? [])
  const hash = hashOf([planKey, open.map(({ task }) => task), hashes])
  const items = shownCalls.map(({ item }) => item)

  const ask = Effect.gen(function* () {
    const approvedBy = plans.get(planKey)
    if (approvedBy === undefined) {
      yield* events.publish({ type: "approval.requested", scope: "step", title, hash, items })
    }
    const answered: Answered<StepAnswer> =
      approvedBy === undefined ? yield* approver.step(title, items, hash) : { answer: "remaining", by: approvedBy }
    const { answer, by, instead } = answered
    if (answer === "decline" && instead !== undefined) {
      const isRead = shownCalls.every(({ question }) => question !== undefined && onlyReads(question)) && {
        isRead: true
      }
      yield* keepRequest({ declined: title, instead, ...isRead }, context)
    }
    if (answer === "decline" && by === "nobody" && planKey !== checksPlanKey)
      yield* sayRules(title, shownCalls, context)
    const wasSeen = approvedBy === undefined && by === "person"
    if (answer === "remaining") plans.set(planKey, by)
    yield* events.publish(answerEvent("step", hash, answered))
    const warning = yield* rememberStep(shownCalls, answered, wasSeen, context)
    if (warning !== undefined) yield* events.publish({ type: "message", level: "warning", text: warning })
    return answered
  })
  return yield* withMutex(ask)
})
