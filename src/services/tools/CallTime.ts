/** The running time of a call, without pauses for questions to the user. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

export interface CallTime {
  /** Waits for an answer, while the time of the call pauses. */
  readonly paused: <A, E, R>(waiting: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Resolves once the running time reaches the limit. */
  readonly reached: (limit: Duration.Duration) => Effect.Effect<void>
  /** True while the time is paused. */
  readonly isPaused: () => boolean
  /** The length of all pauses, in milliseconds. */
  readonly waited: Effect.Effect<number>
}

export const makeCallTime = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const now = (): number => clock.currentTimeMillisUnsafe()
  const startedAt = now()
  const running = yield* Latch.make(true)
  let questions = 0
  let pausedAt = 0
  let waited = 0

  const pause = (): void => {
    questions += 1
    if (questions > 1) return
    pausedAt = now()
    Latch.closeUnsafe(running)
  }
  const resume = (): void => {
    questions -= 1
    if (questions > 0) return
    waited += now() - pausedAt
    Latch.openUnsafe(running)
  }

  return {
    paused: (waiting) =>
      Effect.acquireUseRelease(
        Effect.sync(pause),
        () => waiting,
        () => Effect.sync(resume)
      ),
    reached: (limit) =>
      Effect.gen(function* () {
        for (;;) {
          yield* running.await
          const left = Duration.toMillis(limit) - (now() - startedAt - waited)
          if (left <= 0) return
          yield* Effect.sleep(Duration.millis(left))
        }
      }),
    isPaused: () => questions > 0,
    waited: Effect.sync(() => waited + (questions > 0 ? now() - pausedAt : 0))
  } satisfies CallTime
})
