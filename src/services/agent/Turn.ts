/**
 * What a turn produces, phase by phase: the parsed reply, its checked calls, their results, the verdict on its report, and the outcome.
 */
import type * as Option from "effect/Option"
import type { FileFact } from "../../domain/checks/Facts.ts"
import type { CheckOutcome } from "../../domain/checks/CheckOutcome.ts"
import type { Answered, readAskedCall } from "../../domain/documents/TurnFormat.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import type { Issue, Repair } from "../../domain/findings/Issue.ts"
import type { AssistantMessage } from "../../domain/models/ConversationMessage.ts"
import type { AskedCall } from "../../domain/models/ModelAnswer.ts"
import type { CallOutcome, ToolCall } from "../../domain/tools/ToolCall.ts"
import type { Said } from "../pipeline/Attempts.ts"
import type { RefusedChange } from "../pipeline/TaskChanges.ts"
import type { CandidateReport } from "./CandidateReport.ts"
import type { AgentEnd, AnyWork, Session } from "./Session.ts"

/** One answer of the model: its text, and the calls that it made through the interface. */
export interface ModelReply extends Said {
  readonly thinking: string
  readonly asked: ReadonlyArray<AskedCall>
}

/** A reply of the model as it was read: what its text and its calls of the interface ask for, and itself as a message. */
export interface ParsedReply {
  readonly turn: Answered
  /** The calls of the interface that are answered one by one. */
  readonly native: ReadonlyArray<ReturnType<typeof readAskedCall>>
  readonly message: AssistantMessage
}

/** One call of a reply, checked; `wanted` is how it was written. */
export interface CheckedCall {
  readonly wanted: ToolCall
  readonly call: ToolCall
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}

/** The calls and changes of a reply, checked. */
export interface CheckedCalls {
  readonly calls: ReadonlyArray<CheckedCall>
  /** Issues of changes that became no call. */
  readonly issues: ReadonlyArray<Issue>
  /** Changes that are not made, as the calls that would have made them. */
  readonly refused: ReadonlyArray<RefusedChange>
  /** The issue of more calls than one turn may make. */
  readonly tooMany: ReadonlyArray<Issue>
  /** Where replaced texts stood, a sentence each. */
  readonly replaced: ReadonlyArray<string>
  readonly repairs: ReadonlyArray<Repair>
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
export interface TurnResults extends CallRun {
  readonly hasChanged: boolean
  /** The files that the turn changed, with their texts before it. */
  readonly changedFiles: ReadonlyArray<ProposedFile>
  /** The checks of the last changes, of this turn or an earlier one. */
  readonly checks: ReadonlyArray<CheckOutcome>
  /** What the changes left behind elsewhere, a line each. */
  readonly remaining: ReadonlyArray<string>
}

/** A turn as hooks see it; `left` answers are left after it. */
export interface AgentTurn {
  readonly work: AnyWork
  readonly session: Session
  readonly parsed: ParsedReply
  readonly turn: number
  readonly left: number
}

/** The judgement on a reply and its report. */
export interface Verdict<A> {
  /** The value of an accepted report. */
  readonly accepted: Option.Option<A>
  /** Issues of the reply and of a report that is sent back. */
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
  /** True when a report was judged and not accepted. */
  readonly isSentBack: boolean
  /** True when the reply has issues, or one of its calls failed. */
  readonly isOpen: boolean
}

/** The place of a turn: its number from 1, the answers left after it, and the report that waits for a last question. */
export interface TurnPlace<A> {
  readonly turn: number
  readonly left: number
  readonly candidate: Option.Option<CandidateReport<A>>
}

/** What a turn comes to. Work that `getsLastAnswer` has one more turn, although it has an end. */
export interface TurnOutcome<A> {
  readonly session: Session
  readonly candidate: Option.Option<CandidateReport<A>>
  readonly end: Option.Option<AgentEnd<A>>
  readonly getsLastAnswer: boolean
}

/** Everything a turn learned from one reply. */
export interface TurnFindings<A> extends TurnPlace<A> {
  /** The calls of the turns before. */
  readonly priorCalls: ReadonlyArray<CallOutcome>
  readonly reply: ModelReply
  readonly parsed: ParsedReply
  readonly checked: CheckedCalls
  readonly results: TurnResults
  readonly verdict: Verdict<A>
}
