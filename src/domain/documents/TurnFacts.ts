/** What the program knows about turns that no longer fit the window: calls, changes, checks and issues. */
import type { CheckOutcome } from "../checks/CheckOutcome.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import type { Issue } from "../findings/Issue.ts"
import type { CallOutcome } from "../tools/ToolCall.ts"

export interface TurnFacts {
  readonly outcomes: ReadonlyArray<CallOutcome>
  /** Failed changes that the model has not yet made in another way. */
  readonly open: ReadonlyArray<CallOutcome>
  readonly files: ReadonlyArray<ProposedFile>
  /** The prompt before the compacted turns. */
  readonly above: string
  readonly checks: ReadonlyArray<CheckOutcome>
  /** The issues of the last answer. */
  readonly issues: ReadonlyArray<Issue>
  /** What the model must do in its next answer. */
  readonly now: string
  readonly budget: number
  /** The number of output lines that the last reply of the program promised to the model. */
  readonly lines?: number | undefined
}
