/**
 * The context in which references are resolved, their content, and their problems. The check of a plan and the run of a
 * task differ only in the context.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { CanonicalAccess } from "../../domain/tools/Access.ts"
import type { ResolvedReference } from "../../domain/models/ReferenceContent.ts"
import type { Reference } from "../../domain/plan/Reference.ts"
import type { MarkdownDocument } from "../../domain/markdown/Markdown.ts"
import type { Task } from "../../domain/plan/Task.ts"
import type { TaskResult } from "../../domain/plan/TaskResult.ts"
import type { ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { IssueCode } from "../../domain/findings/Issue.ts"

/** A reference has no content. `code` is the code of the issue; `what` and `how` are whole sentences. */
export class ReferenceProblem extends Data.TaggedError("ReferenceProblem")<{
  readonly code: IssueCode
  readonly what: string
  readonly how: string
}> {
  override get message(): string {
    return this.how === "" ? this.what : `${this.what} ${this.how}`
  }
}

/** `how` may be empty if `what` includes the remedy. */
export const problem = (code: IssueCode, what: string, how = ""): ReferenceProblem =>
  new ReferenceProblem({ code, what, how })

/** `One of these may be meant: a, b.`; the fallback without names. */
export const perhaps = (names: ReadonlyArray<string>, fallback: string): string =>
  names.length === 0 ? fallback : `One of these may be meant: ${names.join(", ")}.`

export interface ReferenceContext {
  readonly document: MarkdownDocument
  readonly finished: ReadonlyArray<TaskResult>
  /** Tasks that have finished by the time the task runs. */
  readonly expected: ReadonlyArray<Task>
  /** Tasks of the list that have not finished by then. */
  readonly tooLate: ReadonlyArray<Task>
  /** During the check: files that rules allow without a question. No other file is opened. */
  readonly mayRead?: (path: string) => Effect.Effect<boolean>
  /** Asks the gate before opening a target. Absent during the check, which opens nothing that may need a question. */
  readonly permit?: (access: CanonicalAccess) => Effect.Effect<void, ReferenceProblem>
  /** Only during the check: why the gate would certainly deny an access. */
  readonly foresee?: (access: CanonicalAccess) => Effect.Effect<ReferenceProblem | undefined>
  /** Project file paths, listed once and on demand. */
  readonly tree: Effect.Effect<ReadonlyArray<string>, ToolFailure>
}

/** Fails if the access would certainly be denied when the task runs. */
export const checkAccess = (
  { foresee }: ReferenceContext,
  access: CanonicalAccess
): Effect.Effect<void, ReferenceProblem> =>
  foresee === undefined
    ? Effect.void
    : Effect.flatMap(foresee(access), (problem) => (problem === undefined ? Effect.void : Effect.fail(problem)))

export type ReferenceResolver = (
  reference: Reference,
  context: ReferenceContext
) => Effect.Effect<ResolvedReference, ReferenceProblem>
