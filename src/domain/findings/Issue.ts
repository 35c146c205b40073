/**
 * What a check finds. An `Issue` is something the model can fix and is fed back to it; a `Repair` is a harmless
 * deviation that the reader fixed by itself. A `Reading` carries both with the value; no issue means success.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { compareCodePoints } from "../text/CodePointOrder.ts"
import { type CodeOf, ruleOf } from "./rules/Rules.ts"

/** The place in a document. `line` is 1-based. */
export const Where = Schema.Struct({
  /** The heading of the section. */
  section: Schema.optionalKey(Schema.String),
  /** The name of the task. */
  task: Schema.optionalKey(Schema.String),
  /** The field of the task. */
  field: Schema.optionalKey(Schema.String),
  /** The line, from 1. */
  line: Schema.optionalKey(Schema.Int)
})
export type Where = typeof Where.Type

/**
 * Where, what is wrong, how to fix it (with the nearest valid values), and a stable kebab-case code. `what` is for a person,
 * too, and addresses nobody; `how` tells the author of the text what to write.
 */
export const Issue = Schema.Struct({
  /** A stable code in kebab-case. */
  code: Schema.String,
  /** The place. */
  where: Where,
  /** What is wrong. */
  what: Schema.String,
  /** What to write instead. */
  how: Schema.String,
  /** The text that is wrong. */
  quote: Schema.optionalKey(Schema.String)
})
export type Issue = typeof Issue.Type

/** A deviation that was repaired, with a stable kebab-case code. */
export const Repair = Schema.Struct({
  /** A stable code in kebab-case. */
  code: Schema.String,
  /** The place. */
  where: Where,
  /** What was repaired. */
  message: Schema.String,
  /** The code of the syntax in which a call was written, see docs/internals/repairs.md. */
  syntax: Schema.optionalKey(Schema.String)
})
export type Repair = typeof Repair.Type

/** The outcome of reading one document. Accepted when `issues` is empty, and then `value` is always present. */
export interface Reading<A> {
  readonly value: Option.Option<A>
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}

/** The reading of one answer of a model, which may be asked again. */
export interface AnswerReading<A> extends Reading<A> {
  /** What is accepted although it has issues, when no attempt is without; `repairs` say how it was marked. */
  readonly fallback?: Pick<Reading<A>, "repairs"> & { readonly value: A }
  /** True for an answer from which the next one goes on: a question that the person answered, JSON that does not fit yet. */
  readonly hasUse?: boolean
}

/** Says where an issue is: `section "Task section 1", task "Research 2", field "Skill", line 12`. */
export const whereText = ({ field, line, section, task }: Where): string =>
  Object.entries({ section, task, field })
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} "${value}"`]))
    .concat(line === undefined ? [] : [`line ${line}`])
    .join(", ")

/** One line for a person: what is wrong and what to do. */
export const issueText = (issue: Issue): string => `${issue.what} ${issue.how}`

/** The same with the place, for the author of a document. */
export const placedIssueText = (issue: Issue): string => {
  const place = whereText(issue.where)
  return `${place === "" ? "" : `${place}: `}${issueText(issue)}`
}

/** A numbered markdown list for the next attempt of a model: place, offending text, what is wrong, what to do. */
export const issuesMarkdown = (issues: ReadonlyArray<Issue>): string =>
  issues
    .map((issue, index) => {
      const place = whereText(issue.where)
      const quote =
        issue.quote === undefined ? "" : `\n   You wrote: \`${issue.quote.replaceAll("\n", " ").slice(0, 200)}\``
      return `${index + 1}. ${place === "" ? "" : `In ${place}: `}${issueText(issue)}${quote}`
    })
    .join("\n")

/** A code that rejects the text. */
export type IssueCode = CodeOf<"error">
export type RepairCode = CodeOf<"warning" | "note">

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

export const makeRepair = (code: RepairCode, where: Where, message: string): Repair => ({ code, where, message })

export const addIssue = (findings: Findings, code: IssueCode, where: Where, text: IssueText): void => {
  findings.issues.push(makeIssue(code, where, text))
}

export const addRepair = (findings: Findings, code: RepairCode, where: Where, message: string): void => {
  findings.repairs.push(makeRepair(code, where, message))
}

const compare = (a: Pick<Issue, "code" | "where">, b: Pick<Issue, "code" | "where">): number =>
  (a.where.line ?? 0) - (b.where.line ?? 0) || compareCodePoints(a.code, b.code)

/**
 * The order in which findings are reported: by line, then by code; what has no line concerns the whole document and comes
 * first. Every reader of a document and whoever joins the findings of several checks ends with it, so that the same text
 * gives the same list.
 */
export const inDocumentOrder = ({ issues, repairs }: Omit<Reading<unknown>, "value">) => ({
  issues: issues.toSorted(compare),
  repairs: repairs.toSorted(compare)
})
