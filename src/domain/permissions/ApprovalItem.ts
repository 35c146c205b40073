/**
 * Defines the item of an approval question, in the form that questions and events contain, and the question about a
 * whole step.
 */
import * as Schema from "effect/Schema"
import { Risk } from "../tools/Access.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { ToolCall, type PreparedCall } from "../tools/ToolCall.ts"
import type { AnsweredBy } from "./Answer.ts"

/** The task name in questions that are asked before a run. */
export const beforeRunTask = "Before the run"

const ApprovalSummary = Schema.Struct({
  /** Begins with a verb. */
  does: Schema.String,
  consequence: Schema.String,
  isCalm: Schema.Boolean,
  /** The targets as a user reads them: relative paths in the project. */
  names: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The command line of a call. */
  command: Schema.optionalKey(Schema.String)
})
export type ApprovalSummary = typeof ApprovalSummary.Type

/** A call about which the program asks the user. */
export const ApprovalItem = Schema.Struct({
  /** The name of the task. */
  task: Schema.String,
  /** The call with its arguments. */
  call: Schema.optionalKey(ToolCall),
  /** The name of the tool. */
  tool: Schema.String,
  /** The plugin of the tool; absent for a built-in tool. */
  origin: Schema.optionalKey(Schema.String),
  /** How much harm the call can do. */
  risk: Risk,
  /** The paths, addresses and command lines that the call accesses. */
  targets: Schema.Array(Schema.String),
  /** Details of the targets, one line each. */
  details: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The change as a unified diff of limited length. */
  preview: Schema.optionalKey(Schema.String),
  /** Warnings that the user reads before answering, in whole sentences. */
  warnings: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The complete diff of which `preview` is the beginning, with paths as a user reads them. */
  diff: Schema.optionalKey(Schema.String),
  /** The question in words: what the call does, its consequence, and whether it is harmless. */
  words: Schema.optionalKey(ApprovalSummary),
  /** One line per check outcome and per command of the task. Only the last item of a task has them. */
  facts: Schema.optionalKey(Schema.Array(Schema.String)),
  /** True if only the user, or a rule that names the call, may allow it. `--yes` does not allow it. */
  personOnly: Schema.optionalKey(Schema.Boolean),
  /**
   * The scopes of the answers `session` and `remember`. If a scope is absent, its answer is not offered. `always` are
   * rules that the user may choose for this project. Each rule covers the call.
   */
  offers: Schema.optionalKey(
    Schema.Struct({
      session: Schema.optionalKey(Schema.String),
      remember: Schema.optionalKey(Schema.String),
      /** The later calls that the answer `repairs` would also allow. Offered if checks run after the change. */
      repairs: Schema.optionalKey(Schema.String),
      always: Schema.optionalKey(Schema.Array(Schema.String))
    })
  )
})
export type ApprovalItem = typeof ApprovalItem.Type

/** The calls of a step that need approval before they run. */
export interface CallList {
  /** The heading of the step. */
  readonly title: string
  /** Identifies the plan. The answer "all remaining steps" covers only steps with the same key. */
  readonly planKey: string
  readonly tasks: ReadonlyArray<GatedTask>
}

/** The plan key of checks, which get their own question. */
export const checksPlanKey = "checks"

/**
 * A task that needs approval. `gatedBy` is the reason: the task list, a skill of the user or the project, or the risk
 * of a call.
 */
export interface GatedTask {
  readonly task: string
  readonly gatedBy: "list" | "skill" | "risk"
  readonly calls: ReadonlyArray<GatedCall>
  /** One line per check outcome and per command of the task. */
  readonly facts?: ReadonlyArray<string>
  /** Changes of earlier tasks on which the calls of this task build. */
  readonly others?: ReadonlyArray<ProposedFile>
}

export interface GatedCall extends PreparedCall {
  /**
   * Why the call cannot run any more, for example because a file changed. The user sees the reason, and no answer
   * allows the call.
   */
  readonly problem?: string
  /** Changes of the project before the call runs, if earlier calls of its task move or remove its files. */
  readonly project?: ReadonlyArray<ProposedFile>
}

/** The change that the user wants in place of a declined step or call, in the user's words. */
export const RequestedChange = Schema.Struct({
  declined: Schema.String,
  instead: Schema.String,
  /** The task and the tool of the call. */
  task: Schema.optionalKey(Schema.String),
  tool: Schema.optionalKey(Schema.String),
  /** True for a denied call that only reads. */
  isRead: Schema.optionalKey(Schema.Boolean)
})
export type RequestedChange = typeof RequestedChange.Type

/** The answer to the question about a step, and who gave it. */
export interface CallListApproval {
  readonly approved: boolean
  readonly by: AnsweredBy
}
