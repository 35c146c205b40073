/**
 * The events of one piece of work: one writer, any number of readers. They may come late, read more than once, or never: nothing
 * that counts is lost and nothing waits.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** What a reader waits for: the event at its place, one that passes and is kept for nobody, or the end. */
type Next<A> = { readonly type: "kept" | "passing"; readonly event: A } | { readonly type: "end" }

/** `show` makes what a reader gets, when they get it: most runs have no reader. */
export const makeEventHistory = <A, B>(show: (event: A) => B) => {
  const kept: Array<A> = []
  const waiting = new Set<(next: Next<A>) => void>()
  let hasEnded = false

  const wake = (next: Next<A>): void => {
    const readers = [...waiting]
    waiting.clear()
    for (const resume of readers) resume(next)
  }

  /** What comes at a place. */
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
    /** Gives an event to the readers that wait for one now, and keeps it for nobody: a long run has very many of them. */
    pass: (event: A): void => wake({ type: "passing", event }),
    /** No more events. */
    end: (): void => {
      hasEnded = true
      wake({ type: "end" })
    },
    /** Each reader starts at the first event. */
    stream: Stream.unfold(0, (index) =>
      Effect.map(nextOf(index), (next) =>
        next.type === "end" ? undefined : ([show(next.event), next.type === "kept" ? index + 1 : index] as const)
      )
    )
  }
}
