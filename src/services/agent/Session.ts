/**
 * What an agent works with: its work order (`Assignment`), what the program writes (`AgentPrompt`), how a task and a message differ
 * (`AgentWork`), where the work stands (`Session`), and how it ends (`AgentEnd`). A turn makes a new session.
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

/** Who works on what, with which tools. */
export interface Assignment {
  /**
   * `task`: a task of a plan. `item`: one of many items of a task, without self-review. `places`: many places that are answered by
   * number, so that what stands elsewhere is the matter of another answer. `calls`: only the first calls of a task, which are not
   * made. `message`: a message of a conversation, which gets one more answer to end by itself.
   */
  readonly kind: "task" | "item" | "places" | "calls" | "message"
  /** The id of the calls to the model, but for the turn. */
  readonly id: Omit<ModelCallId, "attempt" | "choice">
  /** The name under which calls and checks are recorded. */
  readonly task: string
  /** What the prompt and the plan ask for, in their words. */
  readonly request: string
  /** The position of the step from 0. */
  readonly step: number
  readonly skill?: Skill | undefined
  /** The names of the tools that the model may call. */
  readonly tools: ReadonlyArray<string>
  /** The changes that the work proposes. */
  readonly copy: WorkingCopy
  /** At first; a task gets more as it changes more files, unless its skill says how many it takes. */
  readonly mostTurns: number
  /** The calls of earlier messages of the same conversation. */
  readonly earlierOutcomes: ReadonlyArray<CallOutcome>
}

type Messages = ReadonlyArray<ConversationMessage>

/** What the program writes to the model during the work. */
export interface AgentPrompt {
  readonly system: string
  /** What the model can do now, for the end of a reply, and what is open after these calls; `left` answers are left. */
  readonly instruction: (left: number, outcomes?: ReadonlyArray<CallOutcome>) => string
  /** What to do after a compaction. */
  readonly continuation: string
  /** How to correct a report that is sent back. */
  readonly correction?: string
  /** The messages that stay when the others are compacted into `summary`. */
  readonly compact: (messages: Messages, summary: string) => Messages
  /** The grammar of the next answer, where it can be bound. */
  readonly grammar?: (tools: ReadonlyArray<OfferedTool>) => Effect.Effect<string | undefined>
  /** The instructions of the project for these files that were not shown yet, in at most `budget` characters. */
  readonly folderInstructions: (turn: number, files: ReadonlyArray<string>, budget: number) => Effect.Effect<string>
  /** Shows the files in which the first search found something. */
  readonly lookAgain?: (turn: SearchedTurn) => Effect.Effect<SecondLook>
}

/** The work of an agent: a task and a message differ in these. `A` is what a report becomes, `E` why calls were not approved. */
export interface AgentWork<A, E = never> {
  readonly assignment: Assignment
  readonly prompt: AgentPrompt
  /** Receives where the work stands, as soon as it changes. */
  readonly saveSession: (session: Session) => Effect.Effect<void>
  /** Reads an answer of the model, with the files that the project has at the paths which it names. */
  readonly read: (answer: string, paths: ProjectPaths) => Effect.Effect<TurnContent>
  /** Asks about the calls of an answer that write elsewhere than to the copy, where not each is asked about by itself. */
  readonly approve: (calls: ReadonlyArray<ToolCall>) => Effect.Effect<void, E>
  /** Judges a report: its value, its issues, or a fallback that is accepted in the end. */
  readonly judge: (report: string, session: Session) => Effect.Effect<AnswerReading<A>>
  /** True for a report that has to rest on the project, and for which nothing of it was looked at. */
  readonly isUnfounded: (report: string, session: Session) => Effect.Effect<boolean>
  /** Reports the calls of an answer and the files that it changes. */
  readonly announce: (turn: number, calls: ReadonlyArray<ToolCall>, paths: ReadonlyArray<string>) => Effect.Effect<void>
  /** Makes a listener for the text of the next answer. */
  readonly listen?: () => (delta: string) => void
  /** True for a failure of the model that ends the work, although it could be asked again. */
  readonly isFinal?: (error: ModelError) => boolean
}

/** Work whose report and approval do not matter. */
export type AnyWork = Pick<AgentWork<unknown, unknown>, "assignment" | "prompt">

/** Where the work stands. */
export interface Session {
  readonly messages: Messages
  readonly outcomes: ReadonlyArray<CallOutcome>
  /** What was changed in the project itself, where each change is asked about first. */
  readonly files: ReadonlyArray<FileFact>
  /** How the checks of the last changes ended. */
  readonly checks: ReadonlyArray<CheckOutcome>
  /** Issues of the last answer, for work that comes to no end. */
  readonly issues: ReadonlyArray<Issue>
  readonly retries: Retries
  /** True when a report about the project was accepted for which nothing was looked at. */
  readonly isUnfounded: boolean
  /** True when earlier turns are not shown as they were. */
  readonly isCompacted: boolean
  /** The first turn of which the messages show the outputs; 0 before a compaction. */
  readonly shownFrom: number
  /** The last turn that was begun, from 1. */
  readonly turn: number
}

/** The session before the first turn; its messages end with what is asked for. */
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

/** How work ends: with an accepted report, or why there is none. */
export type AgentEnd<A> =
  | { readonly _tag: "Accepted"; readonly value: A }
  /** The first calls of work of the kind `calls`. */
  | { readonly _tag: "Calls"; readonly calls: ReadonlyArray<ToolCall> }
  /** The same call gave the same output again and again. */
  | { readonly _tag: "Repeated"; readonly call: ToolCall }
  | { readonly _tag: "Denied"; readonly message: string }
  /** `unable` says that the model was given up. */
  | { readonly _tag: "Unusable"; readonly unable?: string }
  | { readonly _tag: "Limit"; readonly turns: number }

/** True for an end after which a message still gets one answer, in which the model says what it knows. */
export const getsLastAnswer = ({ assignment: { kind } }: AnyWork, { _tag }: AgentEnd<unknown>): boolean =>
  kind === "message" && (_tag === "Repeated" || _tag === "Denied")
