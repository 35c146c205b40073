/**
 * Why a reference has no content. The check makes an issue of it, the run an error.
 */
import * as Data from "effect/Data"
import type { IssueCode } from "../../domain/findings/IssueCode.ts"

/** `code` is the code of the issue; `what` and `how` are whole sentences. */
export class ReferenceProblem extends Data.TaggedError("ReferenceProblem")<{
  readonly code: IssueCode
  readonly what: string
  readonly how: string
}> {
  override get message(): string {
    return this.how === "" ? this.what : `${this.what} ${this.how}`
  }
}

/** `One of these is meant, perhaps: a, b.`; the fallback when there is nothing to name. */
export const perhaps = (names: ReadonlyArray<string>, fallback: string): string =>
  names.length === 0 ? fallback : `One of these may be meant: ${names.join(", ")}.`
