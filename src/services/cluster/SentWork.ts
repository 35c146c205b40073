/**
 * What the worker of a run and the worker of a task send to each other: refinements and answers. Both go through the tables of
 * the engine without secrets, and are made whole again by the worker that needs them.
 */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import { Refinement } from "../../domain/documents/Refinement.ts"
import type { TaskFailure } from "../../domain/plan/TaskResult.ts"
import { stageKey } from "../../domain/runs/ActivityKey.ts"
import { redacted } from "../../domain/text/Redaction.ts"
import { type Gate, GateSnapshot } from "../permissions/Gate.ts"
import { asJson, fromJson, type Secrets, withoutSecrets } from "./WithoutSecrets.ts"

/** Where a refinement belongs. */
interface RefinementPlace {
  readonly runId: string
  readonly round: number
}

const keyOf = (round: number, { task }: Refinement): string => stageKey.refined(round, task.name)

/** Keeps a refinement whole at the worker that made it. */
export const keepRefinement = ({ whole }: Secrets, { round, runId }: RefinementPlace, refinement: Refinement) =>
  Effect.map(asJson(Refinement, refinement), (value) => whole.keep(runId, keyOf(round, refinement), value))

/** The refinement as this worker made it, or else as it was sent. */
export const knownRefinement = Effect.fnUntraced(function* (
  { whole }: Secrets,
  { round, runId }: RefinementPlace,
  sent: Refinement
) {
  const known = whole.find(runId, keyOf(round, sent), yield* asJson(Refinement, sent))
  return known === undefined ? sent : yield* fromJson(Refinement, known)
})

/** True when a secret was taken out of what is carried out. */
const lacksSecret = ({ calls, inputs }: Refinement): boolean => JSON.stringify([calls, inputs ?? []]).includes(redacted)

/** The refinement as it is carried out: whole, or made again where it cannot be known. */
export const wholeRefinement = Effect.fnUntraced(function* (
  secrets: Secrets,
  place: RefinementPlace,
  sent: Refinement,
  refineAgain: Effect.Effect<Refinement, TaskFailure>
) {
  const known = yield* knownRefinement(secrets, place, sent)
  if (known !== sent || !lacksSecret(sent)) return known
  const again = yield* refineAgain
  yield* keepRefinement(secrets, place, again)
  return again
})

const without = <A>(all: ReadonlyArray<A>, known: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.filter((one) => !known.some((other) => Equal.equals(one, other)))

/** Adds answers that were sent, except those that this gate has itself, with their secrets. */
export const restoreAnswers = Effect.fnUntraced(function* (
  gate: Gate["Service"],
  sent: GateSnapshot,
  { redact }: Secrets
) {
  const own = yield* withoutSecrets(GateSnapshot, yield* gate.snapshot, redact)
  const { wishes = [] } = sent
  const news = without(wishes, own.wishes ?? [])
  const { wishes: _, ...rest } = sent
  yield* gate.restore({
    ...rest,
    denials: without(sent.denials, own.denials),
    ...(news.length === 0 ? {} : { wishes: news })
  })
})
