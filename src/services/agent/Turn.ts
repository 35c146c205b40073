/**
 * What a turn produces behind the reply of the model, phase by phase: the results of its calls, the verdict on its report, and the
 * outcome.
 */
import type * as Option from "effect/Option"
import type { CheckOutcome } from "../../domain/checks/CheckOutcome.ts"
import type { FileFact } from "../../domain/checks/Facts.ts"
import type { CandidateReport } from "../../domain/documents/CandidateReport.ts"
import type { CheckedCalls } from "../../domain/documents/CheckedCalls.ts"
import type { ModelReply, ParsedReply } from "../../domain/documents/ModelReply.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import type { Issue, Repair } from "../../domain/findings/Issue.ts"
import type { CallOutcome } from "../../domain/tools/ToolCall.ts"
import type { AgentEnd, AnyWork, Session } from "./Session.ts"

/** The place of a turn: its number from 1, the answers left after it, and the report that waits for a last question. */
export interface TurnPlace<A> {
  readonly turn: number
  readonly left: number
  readonly candidate: Option.Option<CandidateReport<A>>
}

/** A turn whose reply was read. The session has its results when there are some. */
export interface AgentTurn {
  readonly work: AnyWork
  readonly session: Session
  readonly reply: ModelReply
  readonly parsed: ParsedReply
  readonly turn: number
  readonly left: number
}

/** What came of calls. */
export interface CallRun {
  readonly outcomes: ReadonlyArray<CallOutcome>
  /** What was changed in the project itself. */
  readonly files: ReadonlyArray<FileFact>
  /** Why a call was denied so often that the work should end. */
  readonly denied: string | undefined
}

/** What came of the calls of a turn. */
export interface TurnRun extends CallRun {
  readonly hasChanged: boolean
  /** The files that the turn changed, with their texts before it. */
  readonly changedFiles: ReadonlyArray<ProposedFile>
}

/** What the program found out about the calls of a turn and their changes. */
export interface TurnResults extends TurnRun {
  /** What the changes left behind elsewhere, a line each. */
  readonly remaining: ReadonlyArray<string>
  /** The checks of the last changes, of this turn or an earlier one. */
  readonly checks: ReadonlyArray<CheckOutcome>
  /** The instructions of the project for the files of the turn that were not shown yet, as a block. */
  readonly folderInstructions: string
}

/** A turn whose calls were made. */
export interface FinishedTurn extends AgentTurn {
  readonly checked: CheckedCalls
  readonly results: TurnResults
}

/** The judgement on a reply and its report. */
export interface ReportVerdict<A> {
  /** The value of an accepted report. */
  readonly accepted: Option.Option<A>
  /** Issues of the reply and of a report that is sent back. */
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
  /** True when a report was judged and not accepted. */
  readonly isSentBack: boolean
  /** True for a report about the project for which nothing was looked at. */
  readonly isUnfounded: boolean
  /** True when the reply has issues, or one of its calls failed. */
  readonly isOpen: boolean
}

/** A turn whose report was judged. */
export interface JudgedTurn<A> extends FinishedTurn, TurnPlace<A> {
  /** The calls of the turns before. */
  readonly priorCalls: ReadonlyArray<CallOutcome>
  readonly verdict: ReportVerdict<A>
}

/** What a turn comes to. Work that `getsLastAnswer` has one more turn, although it has an end. */
export interface TurnOutcome<A> {
  readonly session: Session
  readonly candidate: Option.Option<CandidateReport<A>>
  readonly end: Option.Option<AgentEnd<A>>
  readonly getsLastAnswer: boolean
}
