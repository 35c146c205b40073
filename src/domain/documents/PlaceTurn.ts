/**
 * Evaluates one answer about places: rejects changes without a new text, and decides which decisions stay valid after
 * the edits.
 */
import { type Issue, makeIssue } from "../findings/Issue.ts"
import type { PlaceAnswer } from "./PlaceAnswers.ts"
import type { NumberedPlace } from "./Places.ts"

/** The decisions of this turn (`answers`), and the valid decisions of earlier turns (`before`). */
export interface PlaceTurn {
  readonly places: ReadonlyArray<NumberedPlace>
  readonly before: ReadonlyMap<number, PlaceAnswer>
  readonly answers: ReadonlyMap<number, PlaceAnswer>
  readonly issues: ReadonlyArray<Issue>
}

/**
 * Rejects a change without a new text for its line. The new text may stand after the number of the place, or in a
 * change block for its file.
 */
export const withTexts = (read: PlaceTurn, written: ReadonlySet<string>): PlaceTurn => {
  const isBare = ({ number, path }: NumberedPlace): boolean => {
    const answer = read.answers.get(number)
    return answer?._tag === "Change" && answer.lines === undefined && !written.has(path)
  }
  const bare = read.places.filter(isBare)
  const issues = bare.map(({ number, path }) => {
    const how = `Write the new text of the line behind "${number} change:", or send a block for ${path} in the same answer.`
    return makeIssue("place-answer", {}, { what: `Place ${number} is to change, and no text says how.`, how })
  })
  const answers = new Map(read.answers)
  for (const { number } of bare) answers.delete(number)
  return { ...read, answers, issues: [...read.issues, ...issues] }
}

/**
 * The valid decisions after this turn. If the edits of a file failed, the decisions of this turn about that file are
 * dropped.
 */
export const answersAfter = ({ answers, before, places }: PlaceTurn, failed: ReadonlySet<string>) => {
  const now = new Map([...before, ...answers])
  for (const { number } of places.filter(({ number, path }) => failed.has(path) && answers.has(number))) {
    const earlier = before.get(number)
    if (earlier === undefined) now.delete(number)
    else now.set(number, earlier)
  }
  return now
}
