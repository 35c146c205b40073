/**
 * Gives parsers texts that were made to break them and says what must never happen: with a few hundred texts in a test, with
 * a hundred thousand in bench/fuzz-parsers.ts.
 */
import { randomFrom } from "../mutations/Damage.ts"
import { fileParsers } from "./fileParsers.ts"
import { foreignParsers } from "./foreignParsers.ts"
import { type Ingredients, parserInput } from "./ParserInput.ts"
import { permissionParsers } from "./permissionParsers.ts"
import { textParsers } from "./textParsers.ts"
import { processorTime } from "./processorTime.ts"

/** A parser with what must hold for everything that it reads. */
export interface FuzzedParser extends Ingredients {
  readonly name: string
  /** Reads a text; gives what is wrong with how it was read. An exception is wrong as well. */
  readonly defect: (text: string) => string | undefined
  /** True when the text was taken for a valid one: a fuzzer whose texts are all refused shows little. */
  readonly accepts: (text: string) => boolean
}

export const fuzzedParsers: ReadonlyArray<FuzzedParser> = [
  ...fileParsers,
  ...foreignParsers,
  ...permissionParsers,
  ...textParsers
]

const largest = 65_536

/** How long one text may take, in ms: that of the readers of documents. */
const timeLimit = 250

const defectOf = ({ defect }: FuzzedParser, text: string): string | undefined => {
  try {
    return defect(text)
  } catch (error) {
    return `throws ${String(error)}`
  }
}

export interface ParserDefect {
  readonly seed: number
  readonly made: string
  readonly what: string
  readonly text: string
}

/** What a parser did with `count` texts, the first made from `seed`. Times of the processor in ms, when `isTimed`. */
export const fuzzParser = (parser: FuzzedParser, count: number, seed: number, isTimed = false) => {
  const defects: Array<ParserDefect> = []
  let accepted = 0
  let slowest = 0
  const time = (text: string): number => {
    const begun = processorTime()
    parser.defect(text)
    return processorTime() - begun
  }
  for (let at = seed; at < seed + count; at += 1) {
    const { made, text } = parserInput(parser, randomFrom(at), largest)
    const begun = processorTime()
    const what = defectOf(parser, text)
    const took = processorTime() - begun
    if (what !== undefined) defects.push({ seed: at, made, what, text })
    else if (parser.accepts(text)) accepted += 1
    if (what !== undefined || !isTimed || took <= slowest) continue
    /* What Node does beside, such as collecting garbage, is none of the parser's cost. */
    const least = Math.min(took, time(text), time(text))
    slowest = Math.max(slowest, least)
    if (least > timeLimit) defects.push({ seed: at, made, what: `takes ${Math.round(least)} ms`, text })
  }
  return { count, accepted, slowest, defects }
}
