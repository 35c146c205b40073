/**
 * How much of a context window the map of the project may take.
 */
import { charactersIn } from "../models/PromptSize.ts"

/** Windows and the tokens that the map takes of them, smallest window first. */
const steps: ReadonlyArray<readonly [window: number, tokens: number]> = [
  [2048, 0],
  [4096, 150],
  [8192, 320],
  [32_768, 1200],
  [131_072, 2400]
]

/** Tokens for the map in a window of this size: between two steps in proportion, and never more than for the last. */
export const mapTokens = (window: number): number => {
  const above = steps.findIndex(([size]) => size >= window)
  const [high, low] = [steps[above], steps[above - 1]]
  if (high === undefined) return steps.at(-1)?.[1] ?? 0
  if (low === undefined) return high[1]
  return Math.floor(low[1] + ((window - low[0]) / (high[0] - low[0])) * (high[1] - low[1]))
}

/** Characters of the map in a window of this size. */
export const mapRoom = (window: number): number => charactersIn(mapTokens(window))

/** Rooms below this hold no names of the sources: they are not even read. */
export const leastRoomForExports = charactersIn(600)
