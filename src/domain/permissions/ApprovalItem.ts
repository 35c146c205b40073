/** Defines the question about a whole step. Also defines the items of all questions, as events contain them. */
import * as Schema from "effect/Schema"
import { Risk } from "../tools/Access.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { ToolCall, type PreparedCall } from "../tools/ToolCall.ts"
import type { AnsweredBy } from "./Answer.ts"

/** The task name in questions before a run. */
export const beforeRunTask = "Before the run"

const ApprovalSummary = Schema.Struct({
  /** What the call does, as a text that begins with a verb. */
  does: Schema.String,
  consequence: Schema.String,
  isCalm: Schema.Boolean,
  /** The targets as a user reads them. Paths in the project are relative. */
  names: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The command line of a call. */
  command: Schema.optionalKey(Schema.String)
})
export type ApprovalSummary = typeof ApprovalSummary.Type

/** A call about which the program asks the user. */
export const ApprovalItem = Schema.Struct({
  /** The name of the task. */
  task: Schema.String,
  /** The call with its arguments. Absent if the question is about no call of a tool. */
  call: Schema.optionalKey(ToolCall),
  /** The name of the tool. */
  tool: Schema.String,
  /** The plugin that contributes the tool; absent for a built-in tool. */
  origin: Schema.optionalKey(Schema.String),
  /** How much harm the call can do. */
  risk: Risk,
  /** The paths, addresses and command lines that the call accesses. */
  targets: Schema.Array(Schema.String),
  /** Details of the targets, one line each. */
  details: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The change as a unified diff of limited length. */
  preview: Schema.optionalKey(Schema.String),
  /** Warnings for the user before the answer, in whole sentences. */
  warnings: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The complete diff, of which `preview` is the beginning, with paths as a user reads them. */
  diff: Schema.optionalKey(Schema.String),
  /** The question in words: what the call does, its consequence, and whether it is harmless. */
  words: Schema.optionalKey(ApprovalSummary),
  /** A line for each check outcome and each command of the task. Only the last item of the task has these lines. */
  facts: Schema.optionalKey(Schema.Array(Schema.String)),
  /** True if only the user, or a rule that names the call, can allow the call. The flag `--yes` does not allow it. */
  personOnly: Schema.optionalKey(Schema.Boolean),
  /**
   * What the answers `session` and `remember` would allow; an absent answer is not offered. `always`: rules for this
   * project that the user may choose. Each rule covers the call.
   */
  offers: Schema.optionalKey(
    Schema.Struct({
      session: Schema.optionalKey(Schema.String),
      remember: Schema.optionalKey(Schema.String),
      /** The later calls that the answer `repairs` allows beside this one. Absent if no checks run after the change. */
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
  /** Identifies the plan. An answer for all remaining steps covers only steps of this plan. */
  readonly planKey: string
  readonly tasks: ReadonlyArray<GatedTask>
}

/** The key of questions about checks. */
export const checksPlanKey = "checks"

/**
 * A task that needs approval. `gatedBy` says what demands the approval: the task list, a skill of the user or the
 * project, or the risk of a call.
 */
export interface GatedTask {
  readonly task: string
  readonly gatedBy: "list" | "skill" | "risk"
  readonly calls: ReadonlyArray<GatedCall>
  /** One line for each check outcome and each command of the task. */
  readonly facts?: ReadonlyArray<string>
  /** Changes of earlier tasks that the calls build on. */
  readonly others?: ReadonlyArray<ProposedFile>
}

export interface GatedCall extends PreparedCall {
  /** Why the call can no longer run, such as a changed file. The user sees it, and no answer allows the call. */
  readonly problem?: string
  /**
   * How earlier calls of the task have changed the project before this call. Present only if a call of the task moves
   * or removes files.
   */
  readonly project?: ReadonlyArray<ProposedFile>
}

/** The change that the user wants in place of a declined step or call, in their words. */
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
