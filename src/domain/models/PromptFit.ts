/**
 * Makes the results of finished tasks fit a prompt, in steps that each tell less of more tasks. A run may have more tasks than a
 * window has room for their names, and what they came to must still be asked for.
 */
import type { TaskResult } from "../plan/TaskResult.ts"
import { listWithin } from "../text/ListExcerpt.ts"
import { resultBlocks } from "./ExecutionBlocks.ts"
import { charactersLeft, type FilledPrompt, fitsWindow, type TokenScale } from "./PromptSize.ts"

/** A prompt with a place for one text. */
export interface Frame {
  readonly fits: (text: string) => boolean
  /** The characters that are left beside the text. */
  readonly room: (text: string) => number
}

/** What a prompt can do without is left out before anything is cut. */
export const frameOf = (fill: (text: string) => FilledPrompt, window: number, scale: TokenScale): Frame => {
  const filled = (text: string): FilledPrompt => {
    const prompt = fill(text)
    return prompt.lighter ?? prompt
  }
  return {
    fits: (text) => fitsWindow(filled(text), window, scale),
    room: (text) => charactersLeft(window, filled(text), scale)
  }
}

/** Gives a text so much of the room, or what it needs of that; `cut(room)` has at most `room` more characters than `cut(0)`. */
export const partOf = <A extends { readonly text: string }>(frame: Frame, share: number, cut: (room: number) => A): A =>
  cut(frame.room(cut(0).text) * share)

const onlyNames = "(There is no room for the summaries of the finished tasks, so only names are shown.)\n\n"

const moreFinished = (count: number): string =>
  `- ${count} ${count === 1 ? "more task has" : "more tasks have"} finished; there is no room for the ${count === 1 ? "name" : "names"}.`

/** Names of finished tasks, as many as have `room` beside what is said without a name. */
const namesWithin = (results: ReadonlyArray<TaskResult>, room: number): string =>
  onlyNames +
  listWithin(
    results.map(({ name }) => `- ${name}`),
    room + moreFinished(results.length).length,
    moreFinished
  ).text

/** The shortest text about finished tasks. */
export const leastResults = (results: ReadonlyArray<TaskResult>): string =>
  results.length === 0 ? "" : namesWithin(results, 0)

/**
 * The results of finished tasks for a frame: whole summaries, shortened ones, the same without what each task was to
 * deliver, the names, and at last as many names as have room and how many more tasks have finished.
 */
export const fittedResults = (
  results: ReadonlyArray<TaskResult>,
  frame: Frame,
  { expected = false }: { readonly expected?: boolean } = {}
): string => {
  for (const form of expected ? [{ expected: true }, {}] : [{}]) {
    const whole = resultBlocks(results, Number.POSITIVE_INFINITY, form)
    if (frame.fits(whole)) return whole
    const shortest = resultBlocks(results, 0, form)
    if (frame.fits(shortest)) return resultBlocks(results, frame.room(shortest), form)
  }
  return results.length === 0 ? "" : namesWithin(results, frame.room(leastResults(results)))
}
