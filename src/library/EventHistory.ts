/**
 * The events of one run, plan or conversation, with one writer and any number of readers. A reader may begin late or
 * read several times. Every reader gets every stored event. The writer never waits for readers.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** What a reader gets next: the stored event at its position, a passing event that is not stored, or the end. */
type Next<A> = { readonly type: "kept" | "passing"; readonly event: A } | { readonly type: "end" }

/**
 * Makes an empty history. `show` converts an event only when a reader receives it, because most runs have no reader.
 */
export const makeEventHistory = <A, B>(show: (event: A) => B) => {
  const kept: Array<A> = []
  const waiting = new Set<(next: Next<A>) => void>()
  let hasEnded = false

  const wake = (next: Next<A>): void => {
    const readers = [...waiting]
    waiting.clear()
    for (const resume of readers) resume(next)
  }

  /** Waits for the next item at a position. */
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
    /**
     * Passes an event only to readers that are waiting now. It is not stored, because a long run has very many such
     * events.
     */
    pass: (event: A): void => wake({ type: "passing", event }),
    /** Ends the history. Waiting readers get the end at once. Other readers first get the rest of the stored events. */
    end: (): void => {
      hasEnded = true
      wake({ type: "end" })
    },
    /** Each reader begins with the first event. */
    stream: Stream.unfold(0, (index) =>
      Effect.map(nextOf(index), (next) =>
        next.type === "end" ? undefined : ([show(next.event), next.type === "kept" ? index + 1 : index] as const)
      )
    )
  }
}
