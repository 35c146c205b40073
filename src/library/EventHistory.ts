/**
 * Stores the events of one run for readers outside Effect. The library writes to it; readers may come late, read more
 * than once, or never: nothing is lost and nothing waits.
 */

/** One writer, any number of readers. */
export interface EventHistory<A> {
  readonly push: (event: A) => void
  /** No more events; with an error every reader ends by throwing it. */
  readonly end: (error?: unknown) => void
  /** Every reader starts at the first event. */
  readonly events: AsyncIterable<A>
}

/** An empty history. */
export const makeEventHistory = <A>(): EventHistory<A> => {
  const kept: Array<A> = []
  const waiting = new Set<() => void>()
  let ending: { readonly error: unknown } | undefined

  const wake = (): void => {
    for (const resume of waiting) resume()
    waiting.clear()
  }

  async function* read(): AsyncGenerator<A, void> {
    for (let index = 0; ; index++) {
      while (index >= kept.length) {
        if (ending !== undefined) {
          if (ending.error !== undefined) throw ending.error
          return
        }
        await new Promise<void>((resume) => waiting.add(resume))
      }
      yield kept[index] as A
    }
  }

  return {
    push: (event) => {
      kept.push(event)
      wake()
    },
    end: (error) => {
      ending ??= { error }
      wake()
    },
    events: { [Symbol.asyncIterator]: read }
  }
}
