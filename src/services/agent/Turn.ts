/**
 * A turn as it goes through its phases: the answer of the model, the results of its calls, the verdict on its report, and the outcome.
 */
import type * as Option from "effect/Option"
import type { CheckOutcome } from "../../domain/checks/CheckOutcome.ts"
import type { FileFact } from "../../domain/checks/Facts.ts"
import type { CandidateReport } from "../../domain/documents/CandidateReport.ts"
import type { CheckedCalls } from "../../domain/documents/CheckedCalls.ts"
import type { ParsedAnswer } from "../../domain/documents/TurnAnswer.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import type { Issue, Repair } from "../../domain/findings/Issue.ts"
import type { CallOutcome } from "../../domain/tools/ToolCall.ts"
import type { AgentEnd, AgentWork, Session } from "./Session.ts"

/** A turn whose answer was read. */
export interface AgentTurn<A = unknown, E = unknown> {
  readonly work: AgentWork<A, E>
  /** The session with the answer, and with what came of its calls once they were made. */
  readonly session: Session
  readonly answer: ParsedAnswer
  /** The answers that may follow this one. */
  readonly left: number
  /** The report that a hook has questioned. */
  readonly candidate: Option.Option<CandidateReport<A>>
}

export interface CallRun {
  readonly outcomes: ReadonlyArray<CallOutcome>
  /** What was changed in the project itself. */
  readonly files: ReadonlyArray<FileFact>
  /** Why a call was denied so often that the work should end. */
  readonly denied: string | undefined
}

/** What came of the calls of a turn, and what the program found out about their changes. */
export interface TurnResults extends CallRun {
  readonly hasChanged: boolean
  /** The files that the turn changed, with their texts before it. */
  readonly changedFiles: ReadonlyArray<ProposedFile>
  /** What the changes left behind elsewhere, a line each. */
  readonly remaining: ReadonlyArray<string>
  /** The checks of the last changes, of this turn or an earlier one. */
  readonly checks: ReadonlyArray<CheckOutcome>
  /** The instructions of the project for the files of the turn that were not shown yet, as a block. */
  readonly folderInstructions: string
}

/** A turn whose calls were made. */
export interface FinishedTurn<A = unknown, E = unknown> extends AgentTurn<A, E> {
  readonly checked: CheckedCalls
  readonly results: TurnResults
}

/** The judgement on an answer and its report. */
export interface ReportVerdict<A> {
  /** The value of an accepted report. */
  readonly accepted: Option.Option<A>
  /** Issues of the answer and of a report that is sent back. */
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
  /** True when a report was judged and not accepted. */
  readonly isSentBack: boolean
  /** True for a report about the project for which nothing was looked at. */
  readonly isUnfounded: boolean
  /** True when the answer has issues, or one of its calls failed. */
  readonly isOpen: boolean
}

/** A turn whose report was judged. */
export interface JudgedTurn<A = unknown, E = unknown> extends FinishedTurn<A, E> {
  readonly verdict: ReportVerdict<A>
}

export interface TurnOutcome<A> {
  readonly session: Session
  readonly candidate: Option.Option<CandidateReport<A>>
  readonly end: Option.Option<AgentEnd<A>>
}
