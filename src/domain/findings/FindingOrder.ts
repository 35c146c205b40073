/**
 * The order in which issues and repairs are reported. Every reader of a document and whoever joins the findings of
 * several checks ends with it, so that the same text gives the same list.
 */
import { compareCodePoints } from "../text/CodePointOrder.ts"
import type { Issue, Repair, Where } from "./Issue.ts"

interface Found {
  readonly code: string
  readonly where: Where
}

const compare = (a: Found, b: Found): number =>
  (a.where.line ?? 0) - (b.where.line ?? 0) || compareCodePoints(a.code, b.code)

/** Sorts by line, then by code; what has no line concerns the whole document and comes first. */
export const inDocumentOrder = (findings: {
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}): { readonly issues: ReadonlyArray<Issue>; readonly repairs: ReadonlyArray<Repair> } => ({
  issues: findings.issues.toSorted(compare),
  repairs: findings.repairs.toSorted(compare)
})
