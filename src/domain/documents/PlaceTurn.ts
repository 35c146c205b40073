/** Evaluates one answer about places: which changes have a new text, and which answers remain valid after its edits. */
import { type Issue, makeIssue } from "../findings/Issue.ts"
import type { PlaceAnswer } from "./PlaceAnswers.ts"
import type { NumberedPlace } from "./Places.ts"

/** The answers about places in this turn (`answers`), and the valid answers of earlier turns. */
export interface PlaceTurn {
  readonly places: ReadonlyArray<NumberedPlace>
  readonly before: ReadonlyMap<number, PlaceAnswer>
  readonly answers: ReadonlyMap<number, PlaceAnswer>
  readonly issues: ReadonlyArray<Issue>
}

/** Removes changes without a new text, either after their number or in a block for their file. */
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

/** The valid answers after this turn. In a file whose edits `failed`, only earlier answers are valid. */
export const answersAfter = ({ answers, before, places }: PlaceTurn, failed: ReadonlySet<string>) => {
  const now = new Map([...before, ...answers])
  for (const { number } of places.filter(({ number, path }) => failed.has(path) && answers.has(number))) {
    const earlier = before.get(number)
    if (earlier === undefined) now.delete(number)
    else now.set(number, earlier)
  }
  return now
}
