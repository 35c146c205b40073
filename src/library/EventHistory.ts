/**
 * The events of one run, plan or conversation, with one writer and any number of readers. Every reader gets every
 * stored event, even if the reader begins late. The writer never waits for readers.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** What a reader gets next: a stored event, a passing event that is not stored, or the end. */
type Next<A> = { readonly type: "kept" | "passing"; readonly event: A } | { readonly type: "end" }

/** Makes an empty history. `show` converts an event only when a reader gets it, because most runs have no reader. */
export const makeEventHistory = <A, B>(show: (event: A) => B) => {
  const kept: Array<A> = []
  const waiting = new Set<(next: Next<A>) => void>()
  let hasEnded = false

  const wake = (next: Next<A>): void => {
    const readers = [...waiting]
    waiting.clear()
    for (const resume of readers) resume(next)
  }

  const nextOf = (index: number): Effect.Effect<Next<A>> =>
    Effect.callback((resume) => {
      const give = (next: Next<A>): void => resume(Effect.succeed(next))
      if (index < kept.length) return give({ type: "kept", event: kept[index] as A })
      if (hasEnded) return give({ type: "end" })
      waiting.add(give)
      return Effect.sync(() => waiting.delete(give))
    })

  return {
    push: (event: A): void => {
      kept.push(event)
      wake({ type: "kept", event })
    },
    /** Passes an event to waiting readers only. It is not stored, because a long run has very many such events. */
    pass: (event: A): void => wake({ type: "passing", event }),
    /**
     * Ends the history. A waiting reader gets the end at once. Any other reader first gets the remaining stored events.
     */
    end: (): void => {
      hasEnded = true
      wake({ type: "end" })
    },
    stream: Stream.unfold(0, (index) =>
      Effect.map(nextOf(index), (next) =>
        next.type === "end" ? undefined : ([show(next.event), next.type === "kept" ? index + 1 : index] as const)
      )
    )
  }
}
