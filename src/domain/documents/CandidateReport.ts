/**
 * A report that is acceptable while a hook asks the model one more question. It stays acceptable when the model adds nothing,
 * or only a passing test. Later changes that fail the checks are reverted.
 */
import { type CheckOutcome, passes } from "../checks/CheckOutcome.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { isTestFile } from "../files/TestFile.ts"
import { changedSince } from "./ChangedFiles.ts"
import type { ParsedAnswer } from "./TurnAnswer.ts"

/** The proposals of a working copy at one version. */
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

/** True when the answer leaves the candidate as it is. */
export const isUnchanged = (
  candidate: CandidateReport<unknown>,
  { version }: CopyState,
  answer: ParsedAnswer
): boolean => candidate.version === version && asksNothing(answer)

/** True when only tests changed since, and all checks pass: the report is still right. */
export const isTested = (
  candidate: CandidateReport<unknown>,
  { files }: CopyState,
  checks: ReadonlyArray<CheckOutcome>,
  nameOf: (path: string) => string
): boolean =>
  checks.length > 0 &&
  checks.every(passes) &&
  changedSince(files, candidate.files).every(({ path }) => isTestFile(nameOf(path)))

/** True when nothing changed since, or the changes pass the checks. */
export const mayStay = (
  candidate: CandidateReport<unknown>,
  { version }: CopyState,
  checks: ReadonlyArray<CheckOutcome>
): boolean => version === candidate.version || checks.every(passes)

/** The proposals that revert later changes. */
export const takenBack = (candidate: CandidateReport<unknown>, { files }: CopyState): ReadonlyArray<ProposedFile> =>
  changedSince(files, candidate.files).map(({ base, path, text }) => ({ path, base: text, text: base }))
