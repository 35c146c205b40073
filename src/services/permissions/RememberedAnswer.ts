/**
 * Keeps the answer "always" to a question as rules of the person.
 */
import * as Effect from "effect/Effect"
import { canRemember } from "../../domain/permissions/SessionScope.ts"
import { exactPattern } from "../../domain/permissions/TargetPattern.ts"
import { accessTarget } from "../../domain/tools/Access.ts"
import type { GateQuestion } from "./GateQuestion.ts"
import type { Policies } from "./Policies.ts"

/** Remembers what was allowed; gives the sentence for the person when it counts for this run only. */
export const rememberAnswer = Effect.fnUntraced(function* (question: GateQuestion, policies: Policies["Service"]) {
  const { accesses, pin, risk, tool } = question
  if (!canRemember(question)) {
    const why = risk === "high" ? "A call of high risk" : "What is asked each time"
    return `${why} is never remembered: ${tool} is allowed for this run only.`
  }
  const patterns =
    accesses.length === 0 ? [{}] : accesses.map((access) => ({ pattern: exactPattern(accessTarget(access)) }))
  const pinned = pin === undefined ? {} : { pin }
  return yield* Effect.forEach(patterns, (pattern) =>
    policies.remember({ verdict: "allow", tool, ...pattern, ...pinned })
  ).pipe(
    Effect.as(undefined),
    Effect.catchTag("PolicyFileError", ({ message }) => Effect.succeed(`${message} The answer counts for this run.`))
  )
})
