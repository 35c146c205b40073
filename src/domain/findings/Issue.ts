/**
 * The findings of a check. An `Issue` goes back to the model, which must fix it. A `Repair` is a harmless deviation
 * that the reader has fixed.
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
 * A broken rule: its code, the place, the problem, and the fix with the nearest valid values. `what` addresses nobody,
 * because users read it too. `how` addresses the author of the text.
 */
export const Issue = Schema.Struct({
  /** A stable code in kebab-case. */
  code: Schema.String,
  /** The place in the document. */
  where: Where,
  /** The problem. */
  what: Schema.String,
  /** The fix: what to write instead. */
  how: Schema.String,
  /** The text that is wrong. */
  quote: Schema.optionalKey(Schema.String)
})
export type Issue = typeof Issue.Type

/** A deviation that a reader has repaired, with a stable code. */
export const Repair = Schema.Struct({
  /** A stable code in kebab-case. */
  code: Schema.String,
  /** The place in the document. */
  where: Where,
  /** The correction that task-conductor made in the text of the model. */
  message: Schema.String,
  /** The code of the syntax in which a call was written, see docs/internals/repairs.md. */
  syntax: Schema.optionalKey(Schema.String)
})
export type Repair = typeof Repair.Type

/** The outcome of reading a document. If `issues` is empty, the document is accepted and `value` is present. */
export interface Reading<A> {
  readonly value: Option.Option<A>
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}

/** The outcome of reading an answer of a model. If it has issues, another attempt may follow. */
export interface AnswerReading<A> extends Reading<A> {
  /**
   * If every attempt fails, this value is used despite its issues. Its `repairs` include the marks that the program
   * added.
   */
  readonly fallback?: Pick<Reading<A>, "repairs"> & { readonly value: A }
  /**
   * True if the next attempt can build on this rejected answer. Either the answer asked a question, which was then
   * answered, or only its JSON does not fit the schema yet.
   */
  readonly hasUse?: boolean
}

/** Returns the place as text: `section "Task section 1", task "Research 2", field "Skill", line 12`. */
export const whereText = ({ field, line, section, task }: Where): string =>
  Object.entries({ section, task, field })
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} "${value}"`]))
    .concat(line === undefined ? [] : [`line ${line}`])
    .join(", ")

/** One line for users: the problem and the fix. */
export const issueText = (issue: Issue): string => `${issue.what} ${issue.how}`

/** Like `issueText`, but begins with the place. */
export const placedIssueText = (issue: Issue): string => {
  const place = whereText(issue.where)
  return `${place === "" ? "" : `${place}: `}${issueText(issue)}`
}

/** The issues as a numbered markdown list for the model's next attempt. */
export const issuesMarkdown = (issues: ReadonlyArray<Issue>): string =>
  issues
    .map((issue, index) => {
      const place = whereText(issue.where)
      const quote =
        issue.quote === undefined ? "" : `\n   You wrote: \`${issue.quote.replaceAll("\n", " ").slice(0, 200)}\``
      return `${index + 1}. ${place === "" ? "" : `In ${place}: `}${issueText(issue)}${quote}`
    })
    .join("\n")

/** The codes of rules whose violation makes a text invalid. */
export type IssueCode = CodeOf<"error">
export type RepairCode = CodeOf<"warning" | "note">

export interface Findings {
  readonly issues: Array<Issue>
  readonly repairs: Array<Repair>
}

export const noFindings = (): Findings => ({ issues: [], repairs: [] })

/** The problem and the offending text. `how` is set only if it is more exact than the rule's fix. */
export interface IssueText {
  readonly what: string
  readonly how?: string | undefined
  readonly quote?: string | undefined
}

const maximumQuote = 2000

/** Creates an issue. A long quote is cut. */
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
 * Sorts findings by line, then by code. Findings without a line concern the whole document and come first. Everything
 * uses this order, so that equal texts produce equal lists.
 */
export const inDocumentOrder = ({ issues, repairs }: Omit<Reading<unknown>, "value">) => ({
  issues: issues.toSorted(compare),
  repairs: repairs.toSorted(compare)
})
