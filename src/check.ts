/**
 * The entry point for programs that check what models write, imported as "task-conductor/check": plain functions from
 * text to plain data. Loads neither the command line nor the services, and asks for no knowledge of Effect.
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
 * Checks a document and writes it anew without what was repaired. `text` is the given text when there is nothing to fix
 * and when the document is rejected.
 */
export const fix = (text: string, request: CheckRequest = {}): FixedDocument => {
  const { kind = "task-list", ...others } = checkRequestOf(request)
  return fixDocument(kind, text, others)
}

/**
 * Checks the text of a SKILL.md strictly, as `skills lint` does. `name` is that of its folder, `tools` are the tools there
 * are; without them tools are not checked. Links are taken to lead somewhere.
 */
export const checkSkill = (text: string, name: string, tools?: ReadonlyArray<string>): SkillLint => {
  const bytes = new TextEncoder().encode(text)
  return lintSkill(bytes, name, { ...(tools === undefined ? {} : { tools }), files: new Set(skillLinks(bytes)) })
}

/** The numbered list of issues for the next attempt of the model; empty when there is none. */
export const issuesForModel = (report: Pick<CheckReport, "issues">): string => issuesMarkdown(report.issues)

/** Where in the text an issue or a repair is, for marks in an editor; nothing when it concerns the whole document. */
export const spanOf = (
  text: string,
  finding: CheckReport["issues"][number] | CheckReport["repairs"][number]
): TextSpan | undefined => locate(linesOf(text), finding)

/** The reports as a SARIF 2.1.0 log for a code host; paths are relative to the root of the repository. */
export const toSarif = (documents: ReadonlyArray<SarifDocument>): SarifLog => sarifLog(version, documents)
