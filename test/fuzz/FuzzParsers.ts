/**
 * Gives parsers texts that were made to break them and says what must never happen: with a few hundred texts in a test, with
 * a hundred thousand in bench/fuzz-parsers.ts.
 */
import { randomFrom } from "../mutations/Damage.ts"
import { cpuTime } from "../support/cpuTime.ts"
import { documentParsers } from "./documentParsers.ts"
import { fileParsers } from "./fileParsers.ts"
import { foreignParsers } from "./foreignParsers.ts"
import { type Ingredients, parserInput } from "./ParserInput.ts"
import { permissionParsers } from "./permissionParsers.ts"
import { textParsers } from "./textParsers.ts"

/** A parser with what must hold for everything that it reads. */
export interface FuzzedParser extends Ingredients {
  readonly name: string
  /** Reads a text; gives what is wrong with how it was read. An exception is wrong as well. */
  readonly defect: (text: string) => string | undefined
  /** True when the text was taken for a valid one: a fuzzer whose texts are all refused shows little. */
  readonly accepts: (text: string) => boolean
}

export const fuzzedParsers: ReadonlyArray<FuzzedParser> = [
  ...documentParsers,
  ...fileParsers,
  ...foreignParsers,
  ...permissionParsers,
  ...textParsers
]

/** The longest text, in characters, and how long reading it may take, in ms. */
export const largestInput = 65_536
export const timeLimit = 250

const defectOf = ({ defect }: FuzzedParser, text: string): string | undefined => {
  try {
    return defect(text)
  } catch (error) {
    return `throws ${String(error)}`
  }
}

interface ParserDefect {
  readonly seed: number
  readonly made: string
  readonly what: string
  readonly text: string
}

/** The time of the processor for one reading in ms, the least of some: Node collects garbage beside. */
export const timeToRead = (read: (text: string) => unknown, text: string, trials: number): number =>
  Math.min(...Array.from({ length: trials }, () => cpuTime(() => read(text))))

/** What a parser did with `count` texts, the first made from `seed`; how long the slowest took when `isTimed`. */
export const fuzzParser = (parser: FuzzedParser, count: number, seed: number, isTimed = false) => {
  const defects: Array<ParserDefect> = []
  let accepted = 0
  let slowest = { ms: 0, size: 0, seed, made: "" }
  for (let at = seed; at < seed + count; at += 1) {
    const { made, text } = parserInput(parser, randomFrom(at), largestInput)
    const what = defectOf(parser, text)
    if (what !== undefined) defects.push({ seed: at, made, what, text })
    else if (parser.accepts(text)) accepted += 1
    if (what !== undefined || !isTimed || timeToRead(parser.defect, text, 1) <= slowest.ms) continue
    const ms = timeToRead(parser.defect, text, 3)
    if (ms > slowest.ms) slowest = { ms, size: text.length, seed: at, made }
    if (ms > timeLimit) defects.push({ seed: at, made, what: `takes ${Math.round(ms)} ms`, text })
  }
  return { count, accepted, slowest, defects }
}
