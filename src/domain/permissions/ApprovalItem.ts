/**
 * What a person is asked to approve: one item, as questions and events hold it, and the question about a whole step.
 */
import * as Schema from "effect/Schema"
import { Risk } from "../tools/Access.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { ToolCall, type PreparedCall } from "../tools/ToolCall.ts"
import type { AnsweredBy } from "./Answer.ts"

/** What is asked before a run begins names this instead of a task. */
export const beforeRunTask = "Before the run"

const ApprovalSummary = Schema.Struct({
  /** Begins with a verb. */
  does: Schema.String,
  consequence: Schema.String,
  isCalm: Schema.Boolean,
  /** The targets as a person knows them: relative in the project. */
  names: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The command of a call as one would type it. */
  command: Schema.optionalKey(Schema.String)
})
export type ApprovalSummary = typeof ApprovalSummary.Type

/** A call that somebody is asked about. */
export const ApprovalItem = Schema.Struct({
  /** The name of the task. */
  task: Schema.String,
  /** The call with its arguments. */
  call: Schema.optionalKey(ToolCall),
  /** The name of the tool. */
  tool: Schema.String,
  /** The plugin the tool comes from; absent for a built-in tool. */
  origin: Schema.optionalKey(Schema.String),
  /** How much harm the call may do. */
  risk: Risk,
  /** What the call accesses: paths, addresses, command lines. */
  targets: Schema.Array(Schema.String),
  /** Details of the targets, one line each. */
  details: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What would change, as a unified diff of bounded length. */
  preview: Schema.optionalKey(Schema.String),
  /** What the person should know before answering, as whole sentences. */
  warnings: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The whole change of which `preview` is the beginning: a unified diff with paths as a person knows them. */
  diff: Schema.optionalKey(Schema.String),
  /** The question in words: what the call does, what may come of it, and whether that is nothing to worry about. */
  words: Schema.optionalKey(ApprovalSummary),
  /** How the checks of the task ended and which commands it ran, one line each; on the last item of the task. */
  facts: Schema.optionalKey(Schema.Array(Schema.String)),
  /** True when only a person or a rule that names it may allow it: `--yes` does not. */
  personOnly: Schema.optionalKey(Schema.Boolean),
  /**
   * What the answers `session` and `remember` to a single call would cover; an absent one is not offered. `always` are the
   * rules that the person may choose for this project, of which each covers the call.
   */
  offers: Schema.optionalKey(
    Schema.Struct({
      session: Schema.optionalKey(Schema.String),
      remember: Schema.optionalKey(Schema.String),
      /** What the answer `repairs` would cover beside the call; offered where checks run after the change. */
      repairs: Schema.optionalKey(Schema.String),
      always: Schema.optionalKey(Schema.Array(Schema.String))
    })
  )
})
export type ApprovalItem = typeof ApprovalItem.Type

/** The calls of one step that need approval before they run. */
export interface CallList {
  /** The heading of the step. */
  readonly title: string
  /** Identifies the plan this step belongs to; "all remaining steps" covers only steps with the same key. */
  readonly planKey: string
  readonly tasks: ReadonlyArray<GatedTask>
}

/** The plan of checks, which have a question of their own. */
export const checksPlanKey = "checks"

/** A task that needs approval. `gatedBy` says why: the task list, a skill of the user or the project, or the risk of a call. */
export interface GatedTask {
  readonly task: string
  readonly gatedBy: "list" | "skill" | "risk"
  readonly calls: ReadonlyArray<GatedCall>
  /** How its checks ended and which commands it ran, one line each. */
  readonly facts?: ReadonlyArray<string>
  /** What the tasks before it change, on top of which its calls are made. */
  readonly others?: ReadonlyArray<ProposedFile>
}

export interface GatedCall extends PreparedCall {
  /** Why it cannot be made any more, for example since a file changed. It is shown, and its answer grants nothing. */
  readonly problem?: string
  /** The project as it finds it, when calls of the task before it move or remove what it is about. */
  readonly project?: ReadonlyArray<ProposedFile>
}

/** What a person wants instead of something they declined, in their words. `declined` is a step or a call. */
export const RequestedChange = Schema.Struct({
  declined: Schema.String,
  instead: Schema.String,
  /** The task and the tool of a call. */
  task: Schema.optionalKey(Schema.String),
  tool: Schema.optionalKey(Schema.String),
  /** True for what would only have looked. */
  isRead: Schema.optionalKey(Schema.Boolean)
})
export type RequestedChange = typeof RequestedChange.Type

/** The answer to the question about a step, and who gave it. */
export interface CallListApproval {
  readonly approved: boolean
  readonly by: AnsweredBy
}
