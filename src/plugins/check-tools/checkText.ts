/**
 * Formats the output of `check`. Each finding has its place, the marked line, the problem, and what to do. A summary
 * follows.
 */
import type * as Path from "effect/Path"
import { type CheckReport, type IssueReport, type Repair, whereText } from "../../kit/documents.ts"
import type { Paint } from "../../kit/terminal.ts"
import { printable, wrapLine } from "../../kit/text.ts"
import { counted } from "../../plugin-kit.ts"
import { excerptLine, locate, type TextSpan } from "./TextSpan.ts"

export interface CheckStyle {
  readonly paint: Paint
  /**
   * The terminal's width. Undefined without a terminal: lines of the document are then shortened, but no text is
   * wrapped.
   */
  readonly columns: number | undefined
}

/** Says whether the repairs of a document are only offered, are written, or cannot be written. */
export type FixState = "offered" | "written" | "impossible"

/** A text with its findings. */
export interface FoundText {
  readonly name: string
  readonly lines: ReadonlyArray<string>
  readonly report: Pick<CheckReport, "issues" | "repairs">
  /** The label of findings that are repairs. */
  readonly label: string
}

/** A document with its findings. */
export interface CheckedDocument extends Omit<FoundText, "label"> {
  readonly report: CheckReport
  readonly fixState: FixState
}

/** The width for lines of a document if there is no terminal. */
const defaultColumns = 100

/** The maximum number of lines of a quotation. */
const maximumLines = 3

type Finding = { readonly span: TextSpan | undefined } & (
  | { readonly tier: "issue"; readonly issue: IssueReport }
  | { readonly tier: "repair"; readonly repair: Repair }
)

/** Wraps a text after `lead`. The second and later lines are indented. */
const wrap = (lead: string, text: string, columns: number | undefined): string =>
  columns === undefined ? `${lead}${text}` : wrapLine(`${lead}${text}`, columns, "    ").join("\n")

/** Lines of the document with their numbers, the first one marked. */
const excerpt = (lines: ReadonlyArray<string>, span: TextSpan, style: CheckStyle, mark: Paint["red"]): string => {
  const { dim } = style.paint
  const last = Math.min(span.endLine, span.line + maximumLines - 1)
  const gutter = String(last).length
  const width = Math.max(20, (style.columns ?? defaultColumns) - gutter - 4)
  const output: Array<string> = []
  for (let number = span.line; number <= last; number += 1) {
    const line = lines[number - 1] ?? ""
    const isFirst = number === span.line
    const end = isFirst && span.endLine === span.line ? span.endColumn - 1 : line.trimEnd().length
    const { marks, source } = excerptLine(line, isFirst ? span.column - 1 : 0, end, width)
    output.push(`${dim(`${String(number).padStart(gutter)} |`)} ${source}`.trimEnd())
    if (isFirst) output.push(`${dim(`${" ".repeat(gutter)} |`)} ${mark(marks)}`)
  }
  return output.map((line) => ` ${line}`).join("\n")
}

const findingText = ({ label: repairLabel, lines, name }: FoundText, finding: Finding, style: CheckStyle): string => {
  const { paint } = style
  const { span } = finding
  const isIssue = finding.tier === "issue"
  const { code, where } = isIssue ? finding.issue : finding.repair
  const { line: _, ...rest } = where
  const path = whereText(rest)
  const place = `${printable(name)}${span === undefined ? "" : `:${span.line}:${span.column}`}`
  const label = isIssue ? "issue" : repairLabel
  const colour = isIssue ? paint.red : paint.yellow
  const paragraph = (lead: string, text: string): string => wrap(lead, printable(text), style.columns)
  const what = paragraph("", `${place}: ${label}: ${isIssue ? finding.issue.what : finding.repair.message} [${code}]`)
  // Colour comes after wrapping, because colour codes take no width.
  const head = what
    .replace(`${place}:`, () => paint.bold(`${place}:`))
    .replace(` ${label}:`, () => ` ${colour(`${label}:`)}`)
    .replace(/\[[a-z0-9-]+\]$/, (text) => paint.dim(text))
  return [
    head,
    ...(path === "" ? [] : [paint.dim(paragraph("  in ", path))]),
    ...(span === undefined ? [] : [excerpt(lines, span, style, colour)]),
    ...(isIssue ? [paragraph("  to do: ", finding.issue.how).replace("to do:", () => paint.green("to do:"))] : [])
  ].join("\n")
}

const endings: Readonly<Record<FixState, string>> = {
  offered: "; --fix writes the fixed document",
  written: "; the fixed document was written",
  impossible: "; nothing was written: no strict form means the same"
}

/** One line about a document: the result, and the number of findings. */
const summary = ({ fixState, name, report }: CheckedDocument, { paint }: CheckStyle): string => {
  const { issues, project, repairs, verdict } = report
  const place = project === undefined ? "" : ` in the project ${printable(project)}`
  const parts = [
    `${verdict === "rejected" ? paint.red(verdict) : paint.green(verdict)}${place}`,
    ...(issues.length === 0 ? [] : [counted(issues.length, "issue")]),
    ...(repairs.length === 0 ? [] : [counted(repairs.length, "repair")])
  ]
  return `${printable(name)}: ${parts.join(", ")}${verdict === "repaired" ? endings[fixState] : ""}`
}

/** The findings as paragraphs, in the order of lines. Findings about the whole text come first. */
export const findingTexts = (document: FoundText, style: CheckStyle): ReadonlyArray<string> => {
  const { lines, report } = document
  const findings: ReadonlyArray<Finding> = [
    ...report.issues.map((issue) => ({ tier: "issue", issue, span: locate(lines, issue) }) as const),
    ...report.repairs.map((repair) => ({ tier: "repair", repair, span: locate(lines, repair) }) as const)
  ]
  const place = ({ span }: Finding): number => (span === undefined ? 0 : span.line + span.column / 1e7)
  return findings.toSorted((a, b) => place(a) - place(b)).map((finding) => findingText(document, finding, style))
}

/** All findings of a document, then its summary. */
export const checkText = (checked: CheckedDocument, style: CheckStyle): string => {
  const label = checked.fixState === "written" ? "fixed" : "repair"
  return [...findingTexts({ ...checked, label }, style), summary(checked, style)].join("\n\n")
}

/** The totals of several documents. `failed` is the number of documents that could not be read or written. */
export const totalText = (reports: ReadonlyArray<CheckReport>, failed: number, { paint }: CheckStyle): string => {
  const verdicts = (["accepted", "repaired", "rejected"] as const).flatMap((verdict) => {
    const number = reports.filter((report) => report.verdict === verdict).length
    const paintVerdict = verdict === "rejected" ? paint.red : paint.green
    return number === 0 ? [] : [paintVerdict(`${number} ${verdict}`)]
  })
  const parts = [...verdicts, ...(failed === 0 ? [] : [paint.red(`${failed} failed`)])]
  return `${counted(reports.length + failed, "document")}: ${parts.join(", ")}`
}

/**
 * The path of a document in a SARIF log. If the document is below the current folder, the path is relative, because
 * code hosts then find the file. Otherwise it is absolute.
 */
export const sarifPath = (path: Path.Path, name: string): string => {
  const relative = path.relative(path.resolve("."), path.resolve(name))
  return relative.startsWith("..") ? path.resolve(name) : relative
}
