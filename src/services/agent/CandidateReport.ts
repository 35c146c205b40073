/**
 * A report that would be accepted while a hook asks the model one more question. It stays acceptable when nothing more comes, or only
 * a test that passes; later changes that do not pass the checks are taken back.
 */
import { type CheckOutcome, passes } from "../../domain/checks/CheckOutcome.ts"
import { changedSince } from "../../domain/documents/ChangedFiles.ts"
import type { ParsedReply } from "../../domain/documents/ModelReply.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import { isTestFile } from "../../domain/files/TestFile.ts"
import type { WorkingCopy } from "../files/WorkingCopy.ts"
import type { Session } from "./Session.ts"
import type { TurnResults } from "./Turn.ts"

export interface CandidateReport<A> {
  readonly value: A
  /** The proposals of the working copy that the report is about. */
  readonly files: ReadonlyArray<ProposedFile>
  readonly checks: ReadonlyArray<CheckOutcome>
  /** The version of the working copy. */
  readonly version: number
}

export const candidateReport = <A>(copy: WorkingCopy, { checks }: Session, value: A): CandidateReport<A> => ({
  value,
  files: copy.files(),
  checks,
  version: copy.version()
})

const changedAfter = (copy: WorkingCopy, { files }: CandidateReport<unknown>): ReadonlyArray<ProposedFile> =>
  changedSince(copy.files(), files)

/** True for an answer that asks for nothing and is no report either. */
const asksNothing = (answer: string, { native, turn }: ParsedReply): boolean =>
  turn.calls.length + turn.changes.length + native.length === 0 && !/<{5,}|^#+ *Result summary/im.test(answer)

/** True when the answer leaves the candidate as it is. */
export const isUnchanged = (
  candidate: CandidateReport<unknown>,
  copy: WorkingCopy,
  answer: string,
  parsed: ParsedReply
): boolean => candidate.version === copy.version() && asksNothing(answer, parsed)

/** True when the turn only added tests that pass: nothing of what the report is about has changed. */
export const isTested = (
  candidate: CandidateReport<unknown>,
  copy: WorkingCopy,
  { checks, hasChanged }: TurnResults,
  nameOf: (path: string) => string
): boolean =>
  hasChanged &&
  checks.length > 0 &&
  checks.every(passes) &&
  changedAfter(copy, candidate).every(({ path }) => isTestFile(nameOf(path)))

/** Takes back what was changed after the candidate, unless it passes the checks too; the session as it is then. */
export const settleCandidate = (copy: WorkingCopy, candidate: CandidateReport<unknown>, session: Session): Session => {
  if (copy.version() === candidate.version || session.checks.every(passes)) return session
  for (const { base, path, text } of changedAfter(copy, candidate)) copy.propose({ path, base: text, text: base })
  return { ...session, checks: candidate.checks }
}
