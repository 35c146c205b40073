/**
 * The slots of a model server for measurements. Each slot processes one call at a time, in order of arrival, for a
 * given time. It remembers its last prompt and answer: real servers need not read the same beginning again.
 */

/**
 * The common beginning counts only if it is at least this fraction of the prompt. Otherwise the slot that has been free
 * longest is used.
 */
const worthwhile = 0.1

/** A timer may be late by this many ms without delaying the next call. */
const lateness = 5

interface Slot {
  isBusy: boolean
  /**
   * When the slot is free again. The next call counts from this time, even if a timer fires late. So delays do not add
   * up.
   */
  freeAt: number
  remembered: string
}

/** The length of the common beginning of two texts. */
export const commonBeginning = (one: string, other: string): number => {
  const most = Math.min(one.length, other.length)
  let [low, high] = [0, most]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (one.slice(low, middle) === other.slice(low, middle)) low = middle
    else high = middle - 1
  }
  return low
}

export interface Slots {
  /**
   * Waits for a slot and for the time of the call, `takes` ms. Returns how many characters of the prompt the slot
   * remembers.
   */
  readonly work: (prompt: string, answer: string, takes: number) => Promise<number>
}

const pass = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, Math.max(0, milliseconds)))

/** With an infinite count, no call waits, and no prompt is remembered. */
export const makeSlots = (count: number): Slots => {
  const waiting: Array<() => void> = []
  const slots = Array.from({ length: Number.isFinite(count) ? count : 0 }, (): Slot => ({
    isBusy: false,
    freeAt: 0,
    remembered: ""
  }))

  const take = (prompt: string): { readonly slot: Slot; readonly common: number } | undefined => {
    const free = slots
      .filter(({ isBusy }) => !isBusy)
      .map((slot) => ({ slot, common: commonBeginning(slot.remembered, prompt) }))
    const best = free.toSorted((a, b) => b.common - a.common)[0]
    return best !== undefined && best.common > worthwhile * prompt.length
      ? best
      : free.toSorted((a, b) => a.slot.freeAt - b.slot.freeAt)[0]
  }

  const work = async (prompt: string, answer: string, takes: number): Promise<number> => {
    if (!Number.isFinite(count)) {
      if (takes > 0) await pass(takes)
      return 0
    }
    let hasWaited = false
    let taken = take(prompt)
    while (taken === undefined) {
      await new Promise<void>((go) => waiting.push(go))
      hasWaited = true
      taken = take(prompt)
    }
    const { common, slot } = taken
    const now = performance.now()
    const start = hasWaited || slot.freeAt > now - lateness ? Math.max(slot.freeAt, now - lateness) : now
    slot.isBusy = true
    slot.freeAt = start + takes
    slot.remembered = prompt + answer
    if (takes > 0) await pass(start + takes - performance.now())
    slot.isBusy = false
    waiting.shift()?.()
    return common
  }

  return { work }
}
