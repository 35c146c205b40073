/**
 * What references are resolved in. The check and the run differ only in this value.
 */
import type * as Effect from "effect/Effect"
import type { CanonicalAccess } from "../../domain/tools/Access.ts"
import type { MarkdownDocument } from "../../domain/markdown/Markdown.ts"
import type { TaskName } from "../../domain/plan/TaskName.ts"
import type { TaskResult } from "../../domain/plan/TaskResult.ts"
import type { ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { ReferenceProblem } from "./ReferenceProblem.ts"

export interface ReferenceWorld {
  /** The request document. */
  readonly document: MarkdownDocument
  readonly finished: ReadonlyArray<TaskResult>
  /** Whether results appear as their summary or as the whole document. */
  readonly view: "summary" | "document"
  /** Tasks that will have finished when the task runs. */
  readonly expected: ReadonlyArray<TaskName>
  /** Tasks of the list that will not. */
  readonly tooLate: ReadonlyArray<TaskName>
  /** Asks the gate before something is opened. Absent in the check: what may need a question is not opened there. */
  readonly permit?: (access: CanonicalAccess) => Effect.Effect<void, ReferenceProblem>
  /** Paths of the project's files, listed once and only when needed. */
  readonly tree: Effect.Effect<ReadonlyArray<string>, ToolFailure>
}
