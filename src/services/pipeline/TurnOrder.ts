/**
 * Who takes turns (TurnLoop.ts), what the turns have come to, and how they end.
 */
import type * as Effect from "effect/Effect"
import type { FileFact } from "../../domain/checks/Facts.ts"
import type { CheckOutcome } from "../../domain/checks/CheckOutcome.ts"
import type { OfferedTool } from "../../domain/documents/AnswerGrammar.ts"
import type { ProjectPaths } from "../../domain/files/ChangePath.ts"
import type { Answered } from "../../domain/documents/TurnFormat.ts"
import type { AnswerReading, Issue } from "../../domain/findings/Issue.ts"
import type { AssistantMessage, ConversationMessage } from "../../domain/models/ConversationMessage.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import type { ModelCallId } from "../../domain/runs/ActivityKey.ts"
import type { Skill } from "../../domain/skills/Skill.ts"
import { type CallOutcome, fileTools, type ToolCall } from "../../domain/tools/ToolCall.ts"
import { openChanges } from "../../domain/tools/OpenChanges.ts"
import type { WorkingCopy } from "../files/WorkingCopy.ts"
import { firstTuning, type Tuning } from "../models/CallPlan.ts"

/** What the turns have come to so far. */
export interface Progress {
  readonly messages: ReadonlyArray<ConversationMessage>
  readonly outcomes: ReadonlyArray<CallOutcome>
  /** What was changed in the project itself, where changes are asked about first. */
  readonly files: ReadonlyArray<FileFact>
  /** How the checks of the last changes ended. */
  readonly checks: ReadonlyArray<CheckOutcome>
  /** The last answers in a row that could not be used. */
  readonly unusable: ReadonlyArray<string>
  /** How many of them in a row held nothing of what was asked for. */
  readonly useless: number
  readonly rejectedReports: number
  /** How often a report was sent back because nothing had been looked at; true when it was taken all the same. */
  readonly unfoundedReports: number
  readonly isUnfounded: boolean
  readonly tuning: Tuning
  readonly answers: ReadonlySet<string>
  /** True when the turns before are not shown as they were. */
  readonly hasFolded: boolean
  /** Issues of the last answer, for work that comes to no end. */
  readonly issues: ReadonlyArray<Issue>
  /** The last turn that was begun, from 1. */
  readonly turn: number
}

/** How turns begin: the conversation so far ends with what is asked for. */
export const firstProgress = (messages: ReadonlyArray<ConversationMessage>, hasFolded = false): Progress => ({
  messages,
  outcomes: [],
  files: [],
  checks: [],
  unusable: [],
  useless: 0,
  rejectedReports: 0,
  unfoundedReports: 0,
  isUnfounded: false,
  tuning: firstTuning,
  answers: new Set(),
  hasFolded,
  issues: [],
  turn: 0
})

/** Who takes turns, what they may do, and what ends them: `A` is what a report becomes, `E` why calls were not approved. */
export interface TurnOrder<A, E = never> {
  readonly idOf: (turn: number) => ModelCallId
  /** The name under which calls and checks are made. */
  readonly task: string
  readonly round: number
  /** The position of the step from 0. */
  readonly step: number
  readonly skill?: Skill | undefined
  readonly tools: ReadonlyArray<string>
  /** What the prompt and the plan ask for, in their words. */
  readonly request: string
  /** The first message, which stays as it is. */
  readonly system: string
  /** What the turns propose to change. */
  readonly copy: WorkingCopy
  readonly mostTurns: number
  /** What was called before these turns, in the same conversation. */
  readonly earlier?: ReadonlyArray<CallOutcome>
  /** The grammar of an answer, where there is one for now. */
  readonly grammar?: (tools: ReadonlyArray<OfferedTool>) => string | undefined
  /** Reads an answer, with the files that the project has at the paths which it names. */
  readonly read: (answer: string, paths: ProjectPaths) => Effect.Effect<Answered>
  /** Asks about the calls of an answer, where it is not each call that is asked about. */
  readonly approve: (calls: ReadonlyArray<ToolCall>) => Effect.Effect<void, E>
  /** Reads a report; without a value, or with issues, it is sent back, unless it is the last and has a fallback. */
  readonly take: (report: string, progress: Progress) => Effect.Effect<AnswerReading<A>>
  /** What the model can do now, for the end of a reply; `left` answers are left. */
  readonly now: (left: number) => string
  /** The messages that stay when the others are folded, with what the host knows. */
  readonly fold: (messages: ReadonlyArray<ConversationMessage>, known: string) => ReadonlyArray<ConversationMessage>
  /**
   * Whether a report must rest on the project; absent where its material was given with the work. `shown` is what the prompt shows
   * of the project.
   */
  readonly basis?: { readonly isProject: Effect.Effect<boolean>; readonly shown: string }
  /** How to correct a report that is sent back, where that has to be said. */
  readonly correction?: string
  /** What to do after a fold. */
  readonly goOn: string
  /** Gets what the turns have come to, as soon as it changes. */
  readonly keep: (progress: Progress) => void
  /** The instructions of the project for the files of a turn, in at most so many characters, when they are not shown yet. */
  readonly instructions?: (turn: number, files: ReadonlyArray<string>, budget: number) => Effect.Effect<string>
  /** Reports what an answer asks for. */
  readonly announce?: (
    turn: number,
    calls: ReadonlyArray<ToolCall>,
    changed: ReadonlyArray<string>
  ) => Effect.Effect<void>
  /** Makes a listener for the text of an answer. */
  readonly listen?: () => (delta: string) => void
  /** Failures of the model that end the turns, although it could be asked again. */
  readonly isEnd?: (error: ModelError) => boolean
  /** True when the model is told that nothing more comes of its calls, and has one more answer to end by itself. */
  readonly endsItself?: boolean
  /** True when the first report after checks that pass is answered with a question (LookBack.ts). */
  readonly looksBack?: boolean
}

/** How turns end. Without a report: the same call again and again, no usable answer, or no turn left. */
export type TurnsEnd<A> =
  | { readonly _tag: "Taken"; readonly value: A }
  | { readonly _tag: "Repeated"; readonly call: ToolCall }
  | { readonly _tag: "Denied"; readonly message: string }
  | { readonly _tag: "Unusable"; readonly unable?: string }
  | { readonly _tag: "Limit"; readonly turns: number }

/** An order whose report and approval do not matter. */
export type AnyOrder = Omit<TurnOrder<unknown, unknown>, "take">

/** An answer of the model as a message. */
export const assistant = (content: string, more: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: "assistant",
  content: content === "" && (more.calls ?? []).length === 0 ? "(no answer)" : content,
  thinking: "",
  calls: [],
  ...more
})

/** What was done outside of the working copy, and the changes that are still missing. */
export const doneOutside = ({ files, outcomes }: Progress): ReadonlyArray<CallOutcome> => {
  const open = openChanges(outcomes)
  const isLeft = (outcome: CallOutcome): boolean =>
    open.includes(outcome) || (files.length > 0 && outcome.result.success)
  return outcomes.filter((outcome) => !fileTools.has(outcome.call.name) || isLeft(outcome))
}
