/** The request to check a document, shared by the library and "task-conductor/check". */
import type { CheckOptions, DocumentKind } from "./CheckReport.ts"

/** What to check, and the facts to check it against. `finished` names tasks that already have a result. */
export interface CheckRequest extends CheckOptions {
  /** The kind of the document; `task-list` when absent. */
  readonly kind?: DocumentKind
}

/** Rejects a plain string such as "result". JavaScript would accept it, and check the document as a task list. */
export const checkRequestOf = (request: CheckRequest): CheckRequest => {
  if (typeof request === "object" && request !== null) return request
  throw new TypeError(`check takes an object: check(text, { kind: ${JSON.stringify(request)} })`)
}
