/**
 * The events of one piece of work: one writer, any number of readers. They may come late, read more than once, or never: nothing
 * that counts is lost and nothing waits.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** What a reader waits for: the event at its place, one that passes and is kept for nobody, or the end. */
type Next<A> =
  | { readonly type: "kept" | "passing"; readonly event: A }
  | { readonly type: "end"; readonly error: unknown }

/** `show` makes what a reader gets, when they get it: most runs have no reader. */
export const makeEventHistory = <A, B>(show: (event: A) => B) => {
  const kept: Array<A> = []
  const waiting = new Set<(next: Next<A>) => void>()
  let ending: { readonly type: "end"; readonly error: unknown } | undefined

  const wake = (next: Next<A>): void => {
    const readers = [...waiting]
    waiting.clear()
    for (const resume of readers) resume(next)
  }

  /** Has the reader at a place resumed with what comes next; gives what makes it wait no longer. */
  const wait = (index: number, resume: (next: Next<A>) => void): (() => void) => {
    if (index < kept.length) resume({ type: "kept", event: kept[index] as A })
    else if (ending !== undefined) resume(ending)
    else waiting.add(resume)
    return () => void waiting.delete(resume)
  }

  async function* read(): AsyncGenerator<B, void> {
    for (let index = 0; ;) {
      const next = await new Promise<Next<A>>((resume) => wait(index, resume))
      if (next.type === "end") {
        if (next.error !== undefined) throw next.error
        return
      }
      if (next.type === "kept") index++
      yield show(next.event)
    }
  }

  const nextOf = (index: number): Effect.Effect<Next<A>> =>
    Effect.callback((resume) => {
      const leave = wait(index, (next) => resume(Effect.succeed(next)))
      return Effect.sync(leave)
    })

  return {
    push: (event: A): void => {
      kept.push(event)
      wake({ type: "kept", event })
    },
    /** Gives an event to the readers that wait for one now, and keeps it for nobody: a long run has very many of them. */
    pass: (event: A): void => wake({ type: "passing", event }),
    /** No more events; with an error every reader of `events` ends by throwing it. */
    end: (error?: unknown): void => {
      ending ??= { type: "end", error }
      wake(ending)
    },
    /** Every reader starts at the first event. */
    events: { [Symbol.asyncIterator]: read },
    /** The same as a stream; it ends without an error, whatever ended the work. */
    stream: Stream.unfold(0, (index) =>
      Effect.map(nextOf(index), (next) =>
        next.type === "end" ? undefined : ([show(next.event), next.type === "kept" ? index + 1 : index] as const)
      )
    )
  }
}
