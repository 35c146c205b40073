/** The request to check a document, shared by the library and "task-conductor/check". */
import type { CheckOptions, DocumentKind } from "./CheckReport.ts"

/**
 * The kind of document to check (default: a task list), and the facts to check it against. `finished` names tasks that
 * already have a result.
 */
export interface CheckRequest extends CheckOptions {
  /** The kind of the document; `task-list` when absent. */
  readonly kind?: DocumentKind
}

/**
 * Rejects a plain string such as "result" in place of an object. Without this error, JavaScript would accept the
 * string, and the document would be checked as a task list.
 */
export const checkRequestOf = (request: CheckRequest): CheckRequest => {
  if (typeof request === "object" && request !== null) return request
  throw new TypeError(`check takes an object: check(text, { kind: ${JSON.stringify(request)} })`)
}
