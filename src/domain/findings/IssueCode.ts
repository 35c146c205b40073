/**
 * The codes of findings, typed by the rules under domain/findings/rules, and how checks record them: a code without a
 * rule does not compile. The remedy of the rule is said wherever a check has nothing more exact to say.
 */
import { compareCodePoints } from "../text/CodePointOrder.ts"
import { type CodeOf, ruleOf } from "./rules/Rules.ts"
import type { Issue, Repair, Where } from "./Issue.ts"

/** A code that rejects the text. */
export type IssueCode = CodeOf<"error">
/** A code that is only noted. */
export type RepairCode = CodeOf<"warning" | "note">

/** What the readers of one document found so far. */
export interface Findings {
  readonly issues: Array<Issue>
  readonly repairs: Array<Repair>
}

export const noFindings = (): Findings => ({ issues: [], repairs: [] })

/** What is wrong and the offending text; what to do, where that is more exact than the remedy of the rule. */
export interface IssueText {
  readonly what: string
  readonly how?: string | undefined
  readonly quote?: string | undefined
}

const maximumQuote = 2000

/** An issue; a long quote is cut. */
export const makeIssue = (
  code: IssueCode,
  where: Where,
  { how = ruleOf(code).fix, quote, what }: IssueText
): Issue => ({
  code,
  where,
  what,
  how,
  ...(quote === undefined ? {} : { quote: quote.slice(0, maximumQuote) })
})

/** A repair. */
export const makeRepair = (code: RepairCode, where: Where, message: string): Repair => ({ code, where, message })

/** Records an issue. */
export const addIssue = (findings: Findings, code: IssueCode, where: Where, text: IssueText): void => {
  findings.issues.push(makeIssue(code, where, text))
}

/** Records a repair. */
export const addRepair = (findings: Findings, code: RepairCode, where: Where, message: string): void => {
  findings.repairs.push(makeRepair(code, where, message))
}

interface Found {
  readonly code: string
  readonly where: Where
}

const compare = (a: Found, b: Found): number =>
  (a.where.line ?? 0) - (b.where.line ?? 0) || compareCodePoints(a.code, b.code)

/**
 * The order in which findings are reported: by line, then by code; what has no line concerns the whole document and comes
 * first. Every reader of a document and whoever joins the findings of several checks ends with it, so that the same text
 * gives the same list.
 */
export const inDocumentOrder = (findings: {
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}): { readonly issues: ReadonlyArray<Issue>; readonly repairs: ReadonlyArray<Repair> } => ({
  issues: findings.issues.toSorted(compare),
  repairs: findings.repairs.toSorted(compare)
})
