/**
 * Keeps the answer "always" to a question as rules of the person: in every project, or the offered rules that they chose for
 * this one.
 */
import * as Effect from "effect/Effect"
import { ruleText, type Rule } from "../../domain/permissions/Permission.ts"
import type { RememberedRule } from "../../domain/permissions/PolicyFormat.ts"
import { canRemember } from "../../domain/permissions/SessionScope.ts"
import { exactPattern } from "../../domain/permissions/TargetPattern.ts"
import { accessTarget } from "../../domain/tools/Access.ts"
import type { GateQuestion } from "./GateQuestion.ts"
import type { Policies } from "./Policies.ts"

const pinned = ({ pin }: GateQuestion): Pick<RememberedRule, "pin"> => (pin === undefined ? {} : { pin })

/** Remembers it for every project; gives the sentence for the person when it counts for this run only. */
const rememberEverywhere = Effect.fnUntraced(function* (question: GateQuestion, policies: Policies["Service"]) {
  const { accesses, risk, tool } = question
  if (!canRemember(question)) {
    const why = risk === "high" ? "A call of high risk" : "What is asked each time"
    return `${why} is never remembered: ${tool} is allowed for this run only.`
  }
  const patterns =
    accesses.length === 0 ? [{}] : accesses.map((access) => ({ pattern: exactPattern(accessTarget(access)) }))
  return yield* Effect.forEach(patterns, (pattern) =>
    policies.remember({ verdict: "allow", tool, ...pattern, ...pinned(question) })
  ).pipe(
    Effect.as(undefined),
    Effect.catchTag("PolicyFileError", ({ message }) => Effect.succeed(`${message} The answer counts for this run.`))
  )
})

/**
 * Remembers those of the offered rules that the person chose by their text, for this project; `root` is its real path. Gives
 * the sentence for the person when nothing could be remembered.
 */
export const rememberInProject = Effect.fnUntraced(function* (
  chosen: ReadonlyArray<string>,
  {
    offered,
    question,
    root
  }: { readonly offered: ReadonlyArray<Rule>; readonly question: GateQuestion; readonly root: string },
  policies: Policies["Service"]
) {
  const rules = offered.filter((rule) => chosen.includes(ruleText(rule)))
  return yield* Effect.forEach(rules, (rule) =>
    policies.remember({ ...rule, project: root, ...pinned(question) })
  ).pipe(
    Effect.as(undefined),
    Effect.catchTag("PolicyFileError", ({ message }) =>
      Effect.succeed(`${message} What was asked about is allowed once.`)
    )
  )
})

/** Remembers what was allowed, for this project when rules for it were chosen; gives what the person has to know. */
export const rememberAnswer = (
  { always, ...kept }: Parameters<typeof rememberInProject>[1] & { readonly always: ReadonlyArray<string> },
  policies: Policies["Service"]
): Effect.Effect<string | undefined> =>
  always.length > 0 ? rememberInProject(always, kept, policies) : rememberEverywhere(kept.question, policies)
