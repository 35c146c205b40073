/** How a document is checked, in the library and in "task-conductor/check" alike. */
import type { CheckOptions, DocumentKind } from "./CheckReport.ts"

/** The kind of document to check (default: a whole task list). `finished` names tasks that already have a result. */
export interface CheckRequest extends CheckOptions {
  /** The kind of the document; `task-list` when absent. */
  readonly kind?: DocumentKind
}

/** Refuses the bare name of a kind, which JavaScript may pass: it would be checked as a task list. */
export const checkRequestOf = (request: CheckRequest): CheckRequest => {
  if (typeof request === "object" && request !== null) return request
  throw new TypeError(`check takes an object: check(text, { kind: ${JSON.stringify(request)} })`)
}
