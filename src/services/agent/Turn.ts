/** The data of a turn, phase by phase: the model's answer, the results of its calls, and the verdict on its report. */
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

/** A turn after its answer was read. */
export interface AgentTurn<A = unknown, E = unknown> {
  readonly work: AgentWork<A, E>
  /** The session with the answer, and later with the results of its calls. */
  readonly session: Session
  readonly answer: ParsedAnswer
  /** How many answers can follow before the work ends. */
  readonly answersLeft: number
  /** The report that a hook has questioned. */
  readonly candidate: Option.Option<CandidateReport<A>>
}

export interface CallRun {
  readonly outcomes: ReadonlyArray<CallOutcome>
  /** Files that the calls changed directly in the project. */
  readonly files: ReadonlyArray<FileFact>
  /** If calls were denied too often: why the work should end. */
  readonly denied: string | undefined
}

/** The results of a turn's calls, and the findings about their changes. */
export interface TurnResults extends CallRun {
  readonly hasChanged: boolean
  /** The files that the turn changed, with their texts before the turn. */
  readonly changedFiles: ReadonlyArray<ProposedFile>
  /** Places that still contain a name or line that the turn removed elsewhere, one line for each place. */
  readonly remaining: ReadonlyArray<string>
  /** The checks of the last changes, from this turn or an earlier one. */
  readonly checks: ReadonlyArray<CheckOutcome>
  /** A block with project instructions for files of this turn. Omits instructions that were shown earlier. */
  readonly folderInstructions: string
}

/** A turn after its calls. */
export interface FinishedTurn<A = unknown, E = unknown> extends AgentTurn<A, E> {
  readonly checked: CheckedCalls
  readonly results: TurnResults
}

/** The verdict on an answer and its report. */
export interface ReportVerdict<A> {
  readonly accepted: Option.Option<A>
  /** The issues of the answer. If its report is sent back, also the issues of the report. */
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
  /** True if a report was judged and not accepted. */
  readonly isSentBack: boolean
  /** True if the report describes the project, but the model looked at nothing there. */
  readonly isUnfounded: boolean
  /** True if the answer has issues or a failed call. */
  readonly isOpen: boolean
}

/** A turn after its answer was judged. */
export interface JudgedTurn<A = unknown, E = unknown> extends FinishedTurn<A, E> {
  readonly verdict: ReportVerdict<A>
}

export interface TurnOutcome<A> {
  readonly session: Session
  readonly candidate: Option.Option<CandidateReport<A>>
  readonly end: Option.Option<AgentEnd<A>>
}
