/**
 * The context that is needed to resolve references, and the outcome: their content or their problems. The same code
 * resolves references when a plan is checked and when a task runs. Only the context differs.
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

/** Says why a reference has no content. `code` is the code of the issue. `what` and `how` are whole sentences. */
export class ReferenceProblem extends Data.TaggedError("ReferenceProblem")<{
  readonly code: IssueCode
  readonly what: string
  readonly how: string
}> {
  override get message(): string {
    return this.how === "" ? this.what : `${this.what} ${this.how}`
  }
}

/** Makes a problem. `how` may be empty if `what` already says what to do. */
export const problem = (code: IssueCode, what: string, how = ""): ReferenceProblem =>
  new ReferenceProblem({ code, what, how })

/** Returns the sentence `One of these may be meant: a, b.` Returns the fallback if there are no names. */
export const perhaps = (names: ReadonlyArray<string>, fallback: string): string =>
  names.length === 0 ? fallback : `One of these may be meant: ${names.join(", ")}.`

export interface ReferenceContext {
  readonly document: MarkdownDocument
  readonly finished: ReadonlyArray<TaskResult>
  /** The tasks that will have finished before the task with the reference runs. */
  readonly expected: ReadonlyArray<Task>
  /** Tasks of the list that may still be unfinished when the task with the reference starts. */
  readonly tooLate: ReadonlyArray<Task>
  /**
   * Returns true for a file that rules allow to read without a question. Other files are not opened. Present only when
   * a plan is checked.
   */
  readonly mayRead?: (path: string) => Effect.Effect<boolean>
  /**
   * Asks the gate before a target is opened. Absent for a check of a plan, which opens nothing that may need a
   * question.
   */
  readonly permit?: (access: CanonicalAccess) => Effect.Effect<void, ReferenceProblem>
  /**
   * Returns the reason if the gate would certainly deny the access, otherwise undefined. Present only when a plan is
   * checked.
   */
  readonly foresee?: (access: CanonicalAccess) => Effect.Effect<ReferenceProblem | undefined>
  /** The paths of all project files. They are listed once, when they are first needed. */
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
