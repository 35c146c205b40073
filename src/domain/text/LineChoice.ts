/**
 * Chooses lines of a text within a budget, and joins them with notes on what is left out between them.
 */

/** Chooses lines within a budget; every run of lines may need the note of one more gap. */
export class LineChoice {
  readonly lines = new Set<number>()
  #left: number
  readonly #costs: ReadonlyArray<number>
  readonly #gap: number

  constructor(costs: ReadonlyArray<number>, gap: number, budget: number) {
    this.#costs = costs
    this.#gap = gap
    this.#left = budget - gap
  }

  get left(): number {
    return this.#left
  }

  /** Adds the lines if all of them fit. */
  add(indexes: ReadonlyArray<number>): boolean {
    const fresh = indexes.filter((index) => !this.lines.has(index))
    const isRun = (index: number, position: number) =>
      index > 0 && fresh[position - 1] !== index - 1 && !this.lines.has(index - 1)
    const runs = fresh.filter(isRun).length
    const cost = fresh.reduce((sum, index) => sum + (this.#costs[index] ?? 0), 0) + runs * this.#gap
    if (cost > this.#left) return false
    for (const index of fresh) this.lines.add(index)
    this.#left -= cost
    return true
  }
}

/** Says what is left out, from one line to another (indexes from 0). */
export type GapText = (from: number, to: number) => string

/**
 * The chosen lines and the notes between them, and the indexes of all lines that are shown: a note that is longer than what it
 * hides gives way to it.
 */
export const joinChosen = (lines: ReadonlyArray<string>, chosen: ReadonlySet<number>, gap: GapText) => {
  const rows: Array<string> = []
  const shown = new Set<number>()
  let hidden: Array<string> = []
  for (const index of [...lines.keys(), lines.length]) {
    const isHidden = index < lines.length && !chosen.has(index)
    if (isHidden) {
      hidden.push(lines[index] ?? "")
      continue
    }
    if (hidden.length > 0) {
      const note = gap(index - hidden.length, index - 1)
      const isShorter = hidden.join("\n").length <= note.length
      rows.push(...(isShorter ? hidden : [note]))
      if (isShorter) hidden.forEach((_, at) => shown.add(index - hidden.length + at))
      hidden = []
    }
    if (index === lines.length) break
    rows.push(lines[index] ?? "")
    shown.add(index)
  }
  return { text: rows.join("\n"), shown }
}
