/**
 * The data of an agent: its work order (`Assignment`), the texts of the program (`AgentPrompt`), its state (`Session`),
 * and its end (`AgentEnd`). `AgentWork` contains what differs between tasks and messages.
 */
import type * as Effect from "effect/Effect"
import type { CheckOutcome } from "../../domain/checks/CheckOutcome.ts"
import type { FileFact } from "../../domain/checks/Facts.ts"
import type { OfferedTool } from "../../domain/documents/AnswerGrammar.ts"
import { noRetries, type Retries } from "../../domain/documents/Retries.ts"
import type { TurnContent } from "../../domain/documents/TurnFormat.ts"
import type { ProjectPaths } from "../../domain/files/ChangePath.ts"
import type { AnswerReading, Issue } from "../../domain/findings/Issue.ts"
import type { ConversationMessage } from "../../domain/models/ConversationMessage.ts"
import type { SearchedTurn, SecondLook } from "../../domain/models/PrefetchedParts.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import type { ModelCallId } from "../../domain/runs/ActivityKey.ts"
import type { Skill } from "../../domain/skills/Skill.ts"
import type { CallOutcome, ToolCall } from "../../domain/tools/ToolCall.ts"
import type { WorkingCopy } from "../files/WorkingCopy.ts"

/** The work order: the task, the skill, the tools and the limits of an agent. */
export interface Assignment {
  /**
   * The kind of work:
   * - `task`: a task of a plan.
   * - `item`: one of many items of a task, without self-review.
   * - `places`: numbered places in files. Each answer decides about some of them, by number.
   * - `calls`: only the first calls of a task, which are planned but not made.
   * - `message`: a message of a conversation. After repeated or denied calls, the model gets one more answer.
   */
  readonly kind: "task" | "item" | "places" | "calls" | "message"
  /** The id of the work's model calls, without the number of the turn. */
  readonly id: Omit<ModelCallId, "attempt" | "choice">
  /** The task name in the records of calls and checks. */
  readonly task: string
  /** What the user and the plan ask for, in their own words. */
  readonly request: string
  /** The position of the task's step in the plan, from 0. */
  readonly step: number
  readonly skill?: Skill | undefined
  /** The tools that the model may call. */
  readonly tools: ReadonlyArray<string>
  /** The working copy that receives the changes. */
  readonly copy: WorkingCopy
  /** The initial limit of turns. A task gets more turns as it changes more files, unless its skill sets the limit. */
  readonly mostTurns: number
  /** The calls for earlier messages of the same conversation. */
  readonly earlierOutcomes: ReadonlyArray<CallOutcome>
}

type Messages = ReadonlyArray<ConversationMessage>

/** The texts that the program sends to the model during the work. */
export interface AgentPrompt {
  readonly system: string
  /**
   * The end of a reply: what the model can do next, and what the calls in `outcomes` left unfinished. `answersLeft` is
   * the number of answers that can follow.
   */
  readonly instruction: (answersLeft: number, outcomes?: ReadonlyArray<CallOutcome>) => string
  /** The instruction that follows a compaction. `outcomes` are the calls of the compacted turns. */
  readonly continuation: (outcomes: ReadonlyArray<CallOutcome>) => string
  /** How to correct a report that was sent back. */
  readonly correction?: string
  /** The messages after a compaction: `summary` replaces the turns so far. `outcomes` are the calls of these turns. */
  readonly compact: (messages: Messages, summary: string, outcomes: ReadonlyArray<CallOutcome>) => Messages
  /** True for a changed file that the summary must show. Without this function, it shows all changed files. */
  readonly isLeft?: (path: string) => boolean
  /** The grammar of the next answer. Undefined if the server can enforce none. */
  readonly grammar?: (tools: ReadonlyArray<OfferedTool>) => Effect.Effect<string | undefined>
  /**
   * The project instructions for these files, in at most `budget` characters. Omits instructions that were shown
   * earlier.
   */
  readonly folderInstructions: (turn: number, files: ReadonlyArray<string>, budget: number) => Effect.Effect<string>
  /** Shows parts of the files in which the first search found matches. */
  readonly lookAgain?: (turn: SearchedTurn) => Effect.Effect<SecondLook>
}

/**
 * The work of an agent, with everything that differs between a task and a message. `A` is the value of a report, `E`
 * the error if the user does not approve calls.
 */
export interface AgentWork<A, E = never> {
  readonly assignment: Assignment
  readonly prompt: AgentPrompt
  /** Receives the session after each change. */
  readonly saveSession: (session: Session) => Effect.Effect<void>
  /** Reads an answer of the model. `paths` maps paths in the answer to files of the project. */
  readonly read: (answer: string, paths: ProjectPaths) => Effect.Effect<TurnContent>
  /** Asks the user about calls that write outside the working copy. Asks nothing if the gate asks about each call. */
  readonly approve: (calls: ReadonlyArray<ToolCall>) => Effect.Effect<void, E>
  /**
   * Judges a report. Returns its value if it is acceptable. Otherwise returns its issues, and perhaps a fallback value
   * for the last attempt.
   */
  readonly judge: (report: string, session: Session) => Effect.Effect<AnswerReading<A>>
  /** True if a report needs evidence from the project, but the model looked at nothing there. */
  readonly isUnfounded: (report: string, session: Session) => Effect.Effect<boolean>
  /** Reports the calls of an answer and the files that it changes. */
  readonly announce: (turn: number, calls: ReadonlyArray<ToolCall>, paths: ReadonlyArray<string>) => Effect.Effect<void>
  /** Creates a listener for the text of the next answer. */
  readonly listen?: () => (delta: string) => void
  /** True for a model failure that ends the work even though a retry is possible. */
  readonly isFinal?: (error: ModelError) => boolean
}

/** The parts of an agent's work that do not depend on the types of its report and error. */
export type AnyWork = Pick<AgentWork<unknown, unknown>, "assignment" | "prompt">

/** The state of the work after a turn. */
export interface Session {
  readonly messages: Messages
  readonly outcomes: ReadonlyArray<CallOutcome>
  /** Files that calls changed directly in the project. Calls do this only if the gate asks about each change. */
  readonly files: ReadonlyArray<FileFact>
  /** The outcomes of the checks of the last changes. */
  readonly checks: ReadonlyArray<CheckOutcome>
  /** The issues of the last answer. They are reported if the work fails. */
  readonly issues: ReadonlyArray<Issue>
  readonly retries: Retries
  /** True if the accepted report describes the project, but the model looked at nothing there. */
  readonly isUnfounded: boolean
  /** True if a summary replaced earlier turns. */
  readonly isCompacted: boolean
  /** The first turn whose outputs are still in the messages; 0 if there was no compaction. */
  readonly shownFrom: number
  /** The number of the last turn that began; the first is 1. */
  readonly turn: number
}

/** The session before the first turn. Its messages end with the request. */
export const newSession = (messages: Messages, isCompacted = false): Session => ({
  messages,
  outcomes: [],
  files: [],
  checks: [],
  issues: [],
  retries: noRetries,
  isUnfounded: false,
  isCompacted,
  shownFrom: 0,
  turn: 0
})

/** How the work ends: with a report, or with the reason why there is none. */
export type AgentEnd<A> =
  | { readonly _tag: "Accepted"; readonly value: A }
  /** The first calls, for work of the kind `calls`. */
  | { readonly _tag: "Calls"; readonly calls: ReadonlyArray<ToolCall> }
  /** The model repeated a call and got the same output each time. */
  | { readonly _tag: "Repeated"; readonly call: ToolCall }
  | { readonly _tag: "Denied"; readonly message: string }
  /** `unable` explains why the program gave up on the model. */
  | { readonly _tag: "Unusable"; readonly unable?: string }
  | { readonly _tag: "Limit"; readonly turns: number }

/**
 * True if the model gets one more answer after its work on a message ended in this way. In this answer, it can report
 * what it knows.
 */
export const getsLastAnswer = ({ assignment: { kind } }: AnyWork, { _tag }: AgentEnd<unknown>): boolean =>
  kind === "message" && (_tag === "Repeated" || _tag === "Denied")
