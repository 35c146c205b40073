/** How a document is checked, in the library and in "task-conductor/check" alike. */
import type { CheckOptions, DocumentKind } from "./CheckReport.ts"

/** What is checked; a whole task list when `kind` is absent. `finished` names tasks that have a result already. */
export interface CheckRequest extends CheckOptions {
  readonly kind?: DocumentKind
}

/** The request, unless it is the bare name of a kind, as JavaScript may pass it: that would be checked as a task list. */
export const checkRequestOf = (request: CheckRequest): CheckRequest => {
  if (typeof request === "object" && request !== null) return request
  throw new TypeError(`check takes an object: check(text, { kind: ${JSON.stringify(request)} })`)
}
