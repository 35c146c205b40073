/**
 * The question about one call or reference: what is shown, and what the answer grants.
 */
import * as Effect from "effect/Effect"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import { accessTarget } from "../../domain/tools/Access.ts"
import { itemOf, withOffers } from "./ApprovalView.ts"
import { deniedOf, type GateQuestion } from "./GateQuestion.ts"
import type { GateWorld } from "./GateWorld.ts"
import { scriptWarnings } from "./PolicyEvaluator.ts"
import { questionId } from "./QuestionScope.ts"
import { rememberAnswer } from "./RememberedAnswer.ts"

/** Asks about one call or reference, tells the question and the answer, and keeps what the answer grants. */
export const askCall = Effect.fnUntraced(function* (
  question: GateQuestion,
  tell: (event: RunEvent) => Effect.Effect<void>,
  world: GateWorld
) {
  const { addWish, approver, evaluator, grants, policies } = world
  const { task } = question
  const hash = questionId(question)
  const changed = yield* evaluator.changedScripts(question)
  const outdated = yield* evaluator.outdated(question)
  const offered = evaluator.offersOf(question)
  const seen = yield* itemOf(question, world, outdated, scriptWarnings(changed))
  const item = withOffers(seen, question, offered)
  yield* tell({ type: "approval.requested", scope: "call", title: task, hash, items: [item] })
  const { always = [], answer, by, instead } = yield* approver.call(item, hash)
  const wish = answer === "deny" && instead !== undefined ? { instead } : {}
  const rules = answer === "remember" && always.length > 0 ? { always } : undefined
  yield* tell({ type: "approval.answered", scope: "call", hash, answer, by, ...wish, ...rules })
  if (answer === "deny") {
    const declined = [question.tool, ...question.accesses.map(accessTarget)].join(" ")
    if (instead !== undefined) yield* addWish({ declined, instead })
    const times = by === "person" ? { times: grants.countDenial(question) } : {}
    if (by === "nobody") return yield* deniedOf(question, by, evaluator.remedyOf(question, changed))
    return yield* deniedOf(question, by, { ...times, ...wish })
  }
  if (by === "person") grants.addShown(question)
  /* A rule for the project covers what its text says, which may be less than the session would. */
  if (answer !== "once" && rules === undefined) grants.addSession(question)
  const kept = { always, offered, question, root: evaluator.root }
  const warning = answer === "remember" ? yield* rememberAnswer(kept, policies) : undefined
  if (warning !== undefined) yield* tell({ type: "message", level: "warning", text: warning })
})
