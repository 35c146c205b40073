/**
 * Stores the events of one run for readers outside Effect. The library writes to it; readers may come late, read more
 * than once, or never: nothing that counts is lost and nothing waits.
 */

/** One writer, any number of readers. */
export interface EventHistory<A, B = A> {
  readonly push: (event: A) => void
  /** Gives an event to the readers that wait for one now, and keeps it for nobody: a long run has very many of them. */
  readonly pass: (event: A) => void
  /** No more events; with an error every reader ends by throwing it. */
  readonly end: (error?: unknown) => void
  /** Every reader starts at the first event. */
  readonly events: AsyncIterable<B>
}

/** An empty history; `show` makes what a reader gets, when they get it: most runs have no reader. */
export const makeEventHistory = <A, B>(show: (event: A) => B): EventHistory<A, B> => {
  const kept: Array<A> = []
  const waiting = new Set<(passing?: A) => void>()
  let ending: { readonly error: unknown } | undefined

  const wake = (passing?: A): void => {
    for (const resume of waiting) resume(passing)
    waiting.clear()
  }

  async function* read(): AsyncGenerator<B, void> {
    for (let index = 0; ; index++) {
      while (index >= kept.length) {
        if (ending !== undefined) {
          if (ending.error !== undefined) throw ending.error
          return
        }
        const passing = await new Promise<A | undefined>((resume) => waiting.add(resume))
        if (passing !== undefined) yield show(passing)
      }
      yield show(kept[index] as A)
    }
  }

  return {
    push: (event) => {
      kept.push(event)
      wake()
    },
    pass: wake,
    end: (error) => {
      ending ??= { error }
      wake()
    },
    events: { [Symbol.asyncIterator]: read }
  }
}
