/**
 * The codes of findings, typed by the records under domain/rules, and how checks record them: a code without a record
 * does not compile. Only the types of the records are used here, so checking loads none of them.
 */
import type { Issue, Repair, Where } from "./Issue.ts"
import type { KnownRule } from "./rules/Rules.ts"

type CodeOf<Tier> = Extract<KnownRule, { readonly tier: Tier }>["code"]

/** A code that rejects the text. */
export type IssueCode = CodeOf<"issue">
/** A code that is only noted. */
export type RepairCode = CodeOf<"repair">

/** What the readers of one document found so far. */
export interface Findings {
  readonly issues: Array<Issue>
  readonly repairs: Array<Repair>
}

export const noFindings = (): Findings => ({ issues: [], repairs: [] })

/** What is wrong, what to do, and the offending text. */
export interface IssueText {
  readonly what: string
  readonly how: string
  readonly quote?: string | undefined
}

const maximumQuote = 2000

/** An issue; a long quote is cut. */
export const makeIssue = (code: IssueCode, where: Where, { how, quote, what }: IssueText): Issue => ({
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
