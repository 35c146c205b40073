/**
 * The context in which references are resolved, their content, and their problems. The same code checks a plan and runs
 * a task. Only the context differs.
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

/** A reference has no content. `code` is the code of the issue. `what` and `how` are whole sentences. */
export class ReferenceProblem extends Data.TaggedError("ReferenceProblem")<{
  readonly code: IssueCode
  readonly what: string
  readonly how: string
}> {
  override get message(): string {
    return this.how === "" ? this.what : `${this.what} ${this.how}`
  }
}

/** `how` may be empty if `what` says what to do. */
export const problem = (code: IssueCode, what: string, how = ""): ReferenceProblem =>
  new ReferenceProblem({ code, what, how })

/** `One of these may be meant: a, b.` Without names, the fallback. */
export const perhaps = (names: ReadonlyArray<string>, fallback: string): string =>
  names.length === 0 ? fallback : `One of these may be meant: ${names.join(", ")}.`

export interface ReferenceContext {
  readonly document: MarkdownDocument
  readonly finished: ReadonlyArray<TaskResult>
  /** Tasks that have finished when the task runs. */
  readonly expected: ReadonlyArray<Task>
  /** Tasks of the list that have not finished when the task runs. */
  readonly tooLate: ReadonlyArray<Task>
  /** Only for a check: files that rules allow without a question. No other file is opened. */
  readonly mayRead?: (path: string) => Effect.Effect<boolean>
  /** Asks the gate before a target is opened. Absent for a check, which opens nothing that may need a question. */
  readonly permit?: (access: CanonicalAccess) => Effect.Effect<void, ReferenceProblem>
  /** Only for a check: why the gate would certainly deny an access. */
  readonly foresee?: (access: CanonicalAccess) => Effect.Effect<ReferenceProblem | undefined>
  /** The paths of project files. Listed once, when first needed. */
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
