/**
 * Lets the calls of a replay come to their ends in the order of the journal, so that tasks side by side finish as they
 * did then. Called by the replay.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"

interface Waiting {
  readonly key: string
  readonly position: number
  readonly go: Deferred.Deferred<void>
}

export interface ReplayOrder {
  /** Waits until the call with this position in the journal is next; `undefined` for one that is not there waits for ever. */
  readonly turn: (key: string, position: number | undefined) => Effect.Effect<void>
  /** Lets one call after another go on; ends with the keys that wait when none of them can. */
  readonly conduct: Effect.Effect<ReadonlyArray<string>>
}

/** Whoever can go on does so meanwhile: a replay waits for nothing outside of it. */
const calm = Effect.repeat(Effect.yieldNow, { times: 50 })
/** Plugins and skills of the person may need time all the same. */
const longCalm = Effect.andThen(Effect.sleep("50 millis"), calm)

const isFirst = (one: Waiting, other: Waiting): boolean => one.position < other.position

export const makeReplayOrder: Effect.Effect<ReplayOrder> = Effect.gen(function* () {
  const arriving = yield* Queue.unbounded<Waiting>()
  const waiting: Array<Waiting> = []
  const take = (some: ReadonlyArray<Waiting>): void => void waiting.push(...some)

  const turn = Effect.fnUntraced(function* (key: string, position: number | undefined) {
    const go = yield* Deferred.make<void>()
    yield* Queue.offer(arriving, { key, position: position ?? Infinity, go })
    yield* Deferred.await(go)
  })

  const conduct = Effect.gen(function* () {
    for (;;) {
      if (waiting.length === 0) take(yield* Queue.takeAll(arriving))
      yield* calm
      take(yield* Queue.clear(arriving))
      const next = waiting.reduce((found, one) => (isFirst(one, found) ? one : found))
      if (next.position < Infinity) {
        waiting.splice(waiting.indexOf(next), 1)
        yield* Deferred.succeed(next.go, undefined)
        continue
      }
      yield* longCalm
      const late = yield* Queue.clear(arriving)
      if (late.length === 0) return waiting.map(({ key }) => key)
      take(late)
    }
  })

  return { turn, conduct }
})
