/**
 * Keeps a report that the program would accept, while a hook asks the model one more question. The report stays
 * acceptable if the model changes nothing more, or only adds a test that passes. If later changes fail the checks, the
 * program reverts them.
 */
import { type CheckOutcome, passes } from "../checks/CheckOutcome.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { isTestFile } from "../files/TestFile.ts"
import { changedSince } from "./ChangedFiles.ts"
import type { ParsedAnswer } from "./TurnAnswer.ts"

interface CopyState {
  readonly files: ReadonlyArray<ProposedFile>
  readonly version: number
}

export interface CandidateReport<A> extends CopyState {
  readonly value: A
  readonly checks: ReadonlyArray<CheckOutcome>
}

/** True for an answer without calls, changes or a report. */
const asksNothing = ({ content, native, text }: ParsedAnswer): boolean =>
  content.calls.length + content.changes.length + native.length === 0 && !/<{5,}|^#+ *Result summary/im.test(text)

/** True if the answer changes no file and requests nothing. */
export const isUnchanged = (
  candidate: CandidateReport<unknown>,
  { version }: CopyState,
  answer: ParsedAnswer
): boolean => candidate.version === version && asksNothing(answer)

/** True if only tests changed since the candidate, and all checks pass. The report then still describes the work. */
export const isTested = (
  candidate: CandidateReport<unknown>,
  { files }: CopyState,
  checks: ReadonlyArray<CheckOutcome>,
  nameOf: (path: string) => string
): boolean =>
  checks.length > 0 &&
  checks.every(passes) &&
  changedSince(files, candidate.files).every(({ path }) => isTestFile(nameOf(path)))

/** True if no file changed since the candidate, or all checks pass. */
export const mayStay = (
  candidate: CandidateReport<unknown>,
  { version }: CopyState,
  checks: ReadonlyArray<CheckOutcome>
): boolean => version === candidate.version || checks.every(passes)

/** Proposals that revert the changes made after the candidate. */
export const takenBack = (candidate: CandidateReport<unknown>, { files }: CopyState): ReadonlyArray<ProposedFile> =>
  changedSince(files, candidate.files).map(({ base, path, text }) => ({ path, base: text, text: base }))
