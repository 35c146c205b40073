/**
 * Packs lines of a text into a budget of characters. The caller adds lines in the order of their scores, and notes name
 * the omitted lines.
 */
import { cutAt } from "../text/Excerpt.ts"

/** The maximum length of a line. A longer line shows only the characters around its first search text. */
export const longestLine = 400

/** The characters that a cut line shows before the search text. */
const beforeText = 100

/** Cuts a line to `longestLine` characters around its first search text. `texts` are in lower case. */
export const cutLine = (line: string, texts: ReadonlyArray<string> = []): string => {
  if (line.length <= longestLine) return line
  const lower = line.toLowerCase()
  const at = texts.map((text) => lower.indexOf(text)).find((index) => index >= 0) ?? 0
  const start = Math.max(0, Math.min(at - beforeText, line.length - longestLine))
  const part = cutAt(line.slice(start), longestLine).replace(/^[\uDC00-\uDFFF]/, "")
  return `${start > 0 ? "..." : ""}${part}... (${line.length} characters)`
}

/** Chooses lines within a budget, which also covers a note for each gap. */
export class LineChoice {
  readonly lines = new Set<number>()
  #remaining: number
  readonly #costs: ReadonlyArray<number>
  readonly #gap: number

  constructor(costs: ReadonlyArray<number>, gap: number, budget: number) {
    this.#costs = costs
    this.#gap = gap
    this.#remaining = budget - gap
  }

  get budgetLeft(): number {
    return this.#remaining
  }

  add(indexes: ReadonlyArray<number>): boolean {
    const fresh = new Set(indexes.filter((index) => !this.lines.has(index)))
    let [cost, gaps] = [0, 0]
    for (const index of fresh) {
      cost += this.#costs[index] ?? 0
      if (index > 0 && !this.lines.has(index - 1) && !fresh.has(index - 1)) gaps += 1
      if (index === this.#costs.length - 1 || this.lines.has(index + 1)) gaps -= 1
    }
    cost += gaps * this.#gap
    if (cost > this.#remaining) return false
    for (const index of fresh) this.lines.add(index)
    this.#remaining -= cost
    return true
  }

  /** Adds lines in this order, until one does not fit or fewer than `least` characters are left. */
  addEach(indexes: Iterable<number>, least = Number.NEGATIVE_INFINITY): void {
    for (const index of indexes) if (this.#remaining < least || !this.add([index])) return
  }
}

/** Returns the note for a gap. `from` and `to` are the indexes of its first and its last omitted line. */
type GapText = (from: number, to: number) => string

/**
 * Joins the chosen lines with a note for each gap. If a gap is shorter than its note, its lines are shown instead. Also
 * returns the indexes of all shown lines.
 */
const joinChosen = (lines: ReadonlyArray<string>, chosen: ReadonlySet<number>, gap: GapText) => {
  const rows: Array<string> = []
  const shownIndexes = new Set<number>()
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
      if (isShorter) hidden.forEach((_, at) => shownIndexes.add(index - hidden.length + at))
      hidden = []
    }
    if (index === lines.length) break
    rows.push(lines[index] ?? "")
    shownIndexes.add(index)
  }
  return { text: rows.join("\n"), shown: shownIndexes }
}

/** How much longer than estimated a note may be, in characters. */
const noteSlack = 8

/** The lines that `choose` adds, with notes for the gaps, in at most `budget` characters. */
export const packLines = (
  lines: ReadonlyArray<string>,
  budget: number,
  gap: GapText,
  choose: (choice: LineChoice) => void
) => {
  const last = Math.max(0, lines.length - 1)
  const gapSize = Math.max(gap(0, last).length, gap(Math.max(0, last - 1), last).length) + noteSlack
  const choice = new LineChoice(
    lines.map((line) => line.length + 1),
    gapSize + 1,
    budget + 1
  )
  choose(choice)
  return { ...joinChosen(lines, choice.lines, gap), isEmpty: choice.lines.size === 0 }
}
