/**
 * Counts the open tasks of each section that later sections have to wait for, and lets those wait that come after them.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

export interface StepBarrier {
  /** A task of this section need not be waited for any longer; to be called once for each that was counted. */
  readonly settle: (step: number) => Effect.Effect<void>
  /** Waits until no counted task of an earlier section is left. */
  readonly before: (step: number) => Effect.Effect<void>
}

/** `counted` are the sections, from 0, of the tasks that are waited for, one entry for each task. */
export const makeStepBarrier = Effect.fnUntraced(function* (steps: number, counted: ReadonlyArray<number>) {
  const left = Array.from({ length: steps }, () => 0)
  for (const step of counted) left[step] = (left[step] ?? 0) + 1
  const ways = yield* Effect.forEach(left, () => Deferred.make<void>())
  let open = 0

  /** Opens the way for all sections up to the first one with a task that is left. */
  const advance = Effect.suspend(() => {
    const first = open
    while (open < steps && (open === 0 || left[open - 1] === 0)) open += 1
    return Effect.forEach(ways.slice(first, open), (way) => Deferred.succeed(way, undefined), { discard: true })
  })

  yield* advance
  const barrier: StepBarrier = {
    settle: (step) =>
      Effect.suspend(() => {
        left[step] = (left[step] ?? 0) - 1
        return left[step] === 0 ? advance : Effect.void
      }),
    before: (step) => {
      const way = ways[step]
      return way === undefined ? Effect.void : Deferred.await(way)
    }
  }
  return barrier
})
