/**
 * A long text in a small room: its outline and the parts that the words of a task match, in order, and the places of what
 * is left out. A text that fits is whole.
 */
import { proseLines } from "../markdown/Outline.ts"
import { cutAt } from "../text/Excerpt.ts"
import { numberLines } from "../text/NumberedLines.ts"
import { enclosingLines } from "./EnclosingLines.ts"

export interface Material {
  readonly lines: ReadonlyArray<string>
  readonly language: string
  /** The number of the first line; absent for a text whose lines have no numbers. */
  readonly first?: number
  /** How many lines at the beginning matter most. */
  readonly keep?: number
  /** Says what is left out, from one line to another (indexes from 0). */
  readonly gap: (from: number, to: number) => string
}

export interface FittedMaterial {
  readonly text: string
  /** How many lines are shown. */
  readonly shown: number
  readonly isWhole: boolean
}

/** A longer line is shown around the first word that it holds. */
const longestLine = 400
/** The most lines of one part. */
const longestPart = 40
const mostWords = 60
const mostMatches = 300

/** The words of a text that may stand in material, lower case, each once. */
export const wordsOf = (text: string): ReadonlyArray<string> => {
  const words = text.toLowerCase().match(/[\p{L}_$][\p{L}\d_$]{2,}/gu) ?? []
  return [...new Set(words)].slice(0, mostWords)
}

const declaration =
  /^\s{0,4}(?:(?:export|default|public|private|protected|internal|static|abstract|final|async|pub|declare|open|override|sealed|virtual|unsafe|extern|inline)\b(?:\([a-z]+\))?\s+)*(?:function\b\*?|class|interface|type|enum|struct|trait|impl|def|fn|func|module|namespace|record|object|protocol|extension|package)\s+[\w$<]/
const constant = /^(?:export\s+)?(?:const|let|var|val)\s+[\w$]+/
const method =
  /^\s{2,4}(?!(?:if|for|while|switch|catch|return|else|do|try|with)\b)(?:(?:public|private|protected|static|async|readonly|override|get|set)\s+)*[\w$#]+\s*\([^;]*\)[^;]*\{\s*$/
const heading = /^ {0,3}#{1,6}(?:[ \t]|$)/

/** Indexes of headings or declarations, those of the highest level first. */
const outlineOf = ({ language, lines }: Material): ReadonlyArray<number> => {
  const depths: Array<readonly [index: number, depth: number]> = []
  if (language === "markdown" || language === "mdx" || language === "page") {
    for (const { line, text } of proseLines(lines.join("\n"))) {
      if (heading.test(text)) depths.push([line - 1, /#+/.exec(text)?.[0].length ?? 1])
    }
  } else {
    for (const [index, line] of lines.entries()) {
      const isDeclared = declaration.test(line) || constant.test(line) || method.test(line)
      if (isDeclared) depths.push([index, line.length - line.trimStart().length])
    }
  }
  return depths.toSorted((a, b) => a[1] - b[1] || a[0] - b[0]).map(([index]) => index)
}

/** Indexes of lines that hold words, those with the rarest words first. */
const matchesOf = (lines: ReadonlyArray<string>, words: ReadonlyArray<string>): ReadonlyArray<number> => {
  const scores = new Map<number, number>()
  const lower = lines.map((line) => line.toLowerCase())
  for (const word of words) {
    const hits = lower.flatMap((line, index) => (line.includes(word) ? [index] : []))
    for (const index of hits) scores.set(index, (scores.get(index) ?? 0) + 1 / hits.length)
  }
  return [...scores]
    .toSorted((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, mostMatches)
    .map(([index]) => index)
}

const shownLine = (line: string, words: ReadonlyArray<string>): string => {
  if (line.length <= longestLine) return line
  const lower = line.toLowerCase()
  const at = Math.max(0, ...words.map((word) => lower.indexOf(word)))
  const start = Math.max(0, Math.min(at - 100, line.length - longestLine))
  const part = cutAt(line.slice(start), longestLine).replace(/^[\uDC00-\uDFFF]/, "")
  return `${start > 0 ? "..." : ""}${part}... (${line.length} characters)`
}

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)

/** Chooses lines while there is room; every run of lines may need the note of one more gap. */
class Choice {
  readonly lines = new Set<number>()
  #left: number
  readonly #costs: ReadonlyArray<number>
  readonly #gap: number

  constructor(costs: ReadonlyArray<number>, gap: number, room: number) {
    this.#costs = costs
    this.#gap = gap
    this.#left = room - gap
  }

  get left(): number {
    return this.#left
  }

  /** Adds the lines if all of them have room. */
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

const choose = (material: Material, words: ReadonlyArray<string>, choice: Choice): void => {
  const { language, lines } = material
  const enclosing = enclosingLines(lines, language === "page" ? "markdown" : language)
  const outlineRoom = choice.left * 0.65
  for (const index of outlineOf(material)) {
    if (choice.left < outlineRoom || !choice.add([index])) break
  }
  for (const index of matchesOf(lines, words)) {
    if (choice.lines.has(index) && choice.lines.has(index + 1)) continue
    const { from, to } = enclosing(index + 1, longestPart)
    if (choice.add(range(from - 1, to))) continue
    if (!choice.add(range(Math.max(0, index - 3), Math.min(lines.length, index + 4)))) choice.add([index])
  }
  for (const index of lines.keys()) {
    if (!choice.add([index])) break
  }
}

/** The chosen lines and the notes between them. A note that is longer than what it hides gives way to it. */
const render = ({ gap, lines }: Material, shown: ReadonlyArray<string>, chosen: ReadonlySet<number>) => {
  const rows: Array<string> = []
  let count = 0
  let hidden: Array<string> = []
  for (const index of [...lines.keys(), lines.length]) {
    const isHidden = index < lines.length && !chosen.has(index)
    if (isHidden) {
      hidden.push(shown[index] ?? "")
      continue
    }
    if (hidden.length > 0) {
      const note = gap(index - hidden.length, index - 1)
      const isShorter = hidden.join("\n").length <= note.length
      rows.push(...(isShorter ? hidden : [note]))
      count += isShorter ? hidden.length : 0
      hidden = []
    }
    if (index === lines.length) break
    rows.push(shown[index] ?? "")
    count += 1
  }
  return { text: rows.join("\n"), count }
}

/** The whole text if it has at most `limit` characters, else what of it helps the task. */
export const fitMaterial = (material: Material, words: ReadonlyArray<string>, limit: number): FittedMaterial => {
  const { first, gap, keep = 0, lines } = material
  const withNumbers = (all: ReadonlyArray<string>) => (first === undefined ? all : numberLines(all, first))
  const whole = withNumbers(lines).join("\n")
  if (whole.length <= limit) return { text: whole, shown: lines.length, isWhole: true }
  const shown = withNumbers(lines.map((line) => shownLine(line, words)))
  const gapCost = Math.max(gap(0, 0).length, gap(Math.max(0, lines.length - 1), lines.length - 1).length) + 12
  const choice = new Choice(
    shown.map((line) => line.length + 1),
    gapCost,
    limit + 1
  )
  for (let index = 0; index < keep && choice.add([index]); index++);
  choose(material, words, choice)
  const { count, text } = render(material, shown, choice.lines)
  return { text: cutAt(text, limit), shown: count, isWhole: false }
}
