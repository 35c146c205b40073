/**
 * Packs lines of a text into a budget of characters: the caller adds lines in the order of their weight, as long as they fit, and
 * notes between them say what is left out.
 */
import { cutAt } from "../text/Excerpt.ts"

/** A longer line is shown around the first of the texts that it holds. */
export const longestLine = 400

/** The characters shown before that text. */
const beforeText = 100

/** A line with at most so many characters; `texts` are those to be seen in it, in lower case. */
export const cutLine = (line: string, texts: ReadonlyArray<string> = []): string => {
  if (line.length <= longestLine) return line
  const lower = line.toLowerCase()
  const at = texts.map((text) => lower.indexOf(text)).find((index) => index >= 0) ?? 0
  const start = Math.max(0, Math.min(at - beforeText, line.length - longestLine))
  const part = cutAt(line.slice(start), longestLine).replace(/^[\uDC00-\uDFFF]/, "")
  return `${start > 0 ? "..." : ""}${part}... (${line.length} characters)`
}

/** Chooses lines within a budget that also holds a note for each run of lines that is left out. */
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

  /** Adds the lines if all of them fit. */
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

  /** Adds one line after another until one does not fit, or less than `least` characters are left. */
  addEach(indexes: Iterable<number>, least = Number.NEGATIVE_INFINITY): void {
    for (const index of indexes) if (this.#remaining < least || !this.add([index])) return
  }
}

/** Says what is left out, from one line to another (indexes from 0). */
type GapText = (from: number, to: number) => string

/**
 * The chosen lines and the notes between them, and the indexes of all lines that are shown: a note that is longer than what it
 * hides gives way to it.
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

/** A note may be so much longer than those that are measured. */
const noteSlack = 8

/** The lines that `choose` adds, joined, with notes for the others, in at most `budget` characters. */
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
