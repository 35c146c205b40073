/**
 * A report that would be accepted while the model is asked one more question. It stays acceptable when nothing more comes, or only a
 * test that passes; later changes that do not pass the checks are taken back.
 */
import { type CheckOutcome, passes } from "../checks/CheckOutcome.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { isTestFile } from "../files/TestFile.ts"
import { changedSince } from "./ChangedFiles.ts"
import type { ParsedAnswer } from "./TurnAnswer.ts"

/** The proposals of a working copy at one time, and the version that they are. */
interface CopyState {
  readonly files: ReadonlyArray<ProposedFile>
  readonly version: number
}

export interface CandidateReport<A> extends CopyState {
  readonly value: A
  readonly checks: ReadonlyArray<CheckOutcome>
}

/** True for an answer that asks for nothing and is no report either. */
const asksNothing = ({ content, native, text }: ParsedAnswer): boolean =>
  content.calls.length + content.changes.length + native.length === 0 && !/<{5,}|^#+ *Result summary/im.test(text)

/** True when the answer leaves the candidate as it is. */
export const isUnchanged = (
  candidate: CandidateReport<unknown>,
  { version }: CopyState,
  answer: ParsedAnswer
): boolean => candidate.version === version && asksNothing(answer)

/** True when only tests were changed since, and all checks pass: nothing of what the report is about has changed. */
export const isTested = (
  candidate: CandidateReport<unknown>,
  { files }: CopyState,
  checks: ReadonlyArray<CheckOutcome>,
  nameOf: (path: string) => string
): boolean =>
  checks.length > 0 &&
  checks.every(passes) &&
  changedSince(files, candidate.files).every(({ path }) => isTestFile(nameOf(path)))

/** True when nothing was changed since, or what was changed passes the checks too: then it may stay. */
export const mayStay = (
  candidate: CandidateReport<unknown>,
  { version }: CopyState,
  checks: ReadonlyArray<CheckOutcome>
): boolean => version === candidate.version || checks.every(passes)

/** The proposals that take back what was changed since. */
export const takenBack = (candidate: CandidateReport<unknown>, { files }: CopyState): ReadonlyArray<ProposedFile> =>
  changedSince(files, candidate.files).map(({ base, path, text }) => ({ path, base: text, text: base }))
