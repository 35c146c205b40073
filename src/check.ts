/**
 * The entry point for programs that check documents of models, imported as "task-conductor/check". Its functions
 * convert text to plain data. It loads neither the command line nor the services, and needs no knowledge of Effect.
 */
import { checkDocument, type CheckReport, fixDocument, type FixedDocument } from "./domain/documents/CheckReport.ts"
import { issuesMarkdown } from "./domain/findings/Issue.ts"
import { type SarifDocument, type SarifLog, sarifLog } from "./plugins/check-tools/SarifLog.ts"
import { skillLinks, lintSkill, type SkillLint } from "./plugins/check-tools/SkillLint.ts"
import { linesOf, locate, type TextSpan } from "./plugins/check-tools/TextSpan.ts"
import { type CheckRequest, checkRequestOf } from "./domain/documents/CheckRequest.ts"
import { version } from "./app/version.ts"

export type {
  CheckReport,
  DocumentKind,
  IssueReport,
  RefinementReport,
  ResultReport,
  TaskListReport,
  TaskReport,
  FixedDocument
} from "./domain/documents/CheckReport.ts"
export type { CheckRequest } from "./domain/documents/CheckRequest.ts"
export type { Repair, Where } from "./domain/findings/Issue.ts"
export type { SarifDocument, SarifLog } from "./plugins/check-tools/SarifLog.ts"
export type { SkillLint } from "./plugins/check-tools/SkillLint.ts"
export type { TextSpan } from "./plugins/check-tools/TextSpan.ts"

/**
 * Checks a document. Never throws, whatever the text.
 *
 * @example
 * ```ts
 * import { check } from "task-conductor/check"
 *
 * const { issues, verdict } = check("# Plan", { kind: "task-list" })
 * console.log(verdict, issues.map(({ what }) => what))
 * ```
 */
export const check = (text: string, request: CheckRequest = {}): CheckReport => {
  const { kind = "task-list", ...others } = checkRequestOf(request)
  return checkDocument(kind, text, others)
}

/**
 * Checks a document and rewrites it with its repairs applied. `text` is the given text if there is nothing to fix or
 * the document is rejected.
 */
export const fix = (text: string, request: CheckRequest = {}): FixedDocument => {
  const { kind = "task-list", ...others } = checkRequestOf(request)
  return fixDocument(kind, text, others)
}

/**
 * Checks the text of a SKILL.md strictly, as `skills lint` does. `name` is the name of its folder. `tools` are the
 * existing tools; without them, the names of tools are not checked. The targets of links are assumed to exist.
 */
export const checkSkill = (text: string, name: string, tools?: ReadonlyArray<string>): SkillLint => {
  const bytes = new TextEncoder().encode(text)
  return lintSkill(bytes, name, { ...(tools === undefined ? {} : { tools }), files: new Set(skillLinks(bytes)) })
}

/** The numbered list of issues for the next attempt of the model; empty if the report has no issues. */
export const issuesForModel = (report: Pick<CheckReport, "issues">): string => issuesMarkdown(report.issues)

/** The range of an issue or repair in the text, for marks in an editor. Undefined if it concerns the whole document. */
export const spanOf = (
  text: string,
  finding: CheckReport["issues"][number] | CheckReport["repairs"][number]
): TextSpan | undefined => locate(linesOf(text), finding)

/** The reports as a SARIF 2.1.0 log for a code host. Paths are relative to the root of the repository. */
export const toSarif = (documents: ReadonlyArray<SarifDocument>): SarifLog => sarifLog(version, documents)
