/**
 * Check reports as a SARIF 2.1.0 log, the format in which code hosts take findings. Issues are errors, repairs are
 * notes. Called by `check --format sarif` and by the door for other programs.
 */
import type { CheckReport } from "./CheckReport.ts"
import { type Where, whereText } from "../findings/Issue.ts"
import { ruleOf, rulePage } from "../findings/rules/Rules.ts"
import { linesOf, locate } from "./TextSpan.ts"

/** One checked document. */
export interface SarifDocument {
  /** A path relative to the folder that is checked, or a URI; `stdin` for what came through a pipe. */
  readonly path: string
  /** The document as it was checked. */
  readonly text: string
  readonly report: Pick<CheckReport, "issues" | "repairs">
}

export interface SarifMessage {
  readonly text: string
}

export interface SarifRule {
  readonly id: string
  readonly name: string
  readonly defaultConfiguration: { readonly level: "error" | "note" }
  readonly shortDescription?: SarifMessage
  readonly fullDescription?: SarifMessage
  readonly help?: SarifMessage
}

export interface SarifRegion {
  readonly startLine: number
  readonly startColumn?: number
  readonly endLine?: number
  readonly endColumn?: number
}

export interface SarifLocation {
  readonly physicalLocation: {
    readonly artifactLocation: { readonly uri: string }
    readonly region: SarifRegion
  }
  readonly logicalLocations?: ReadonlyArray<{ readonly fullyQualifiedName: string }>
}

export interface SarifResult {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly level: "error" | "note"
  readonly message: SarifMessage
  readonly locations: ReadonlyArray<SarifLocation>
}

export interface SarifLog {
  readonly $schema: string
  readonly version: "2.1.0"
  readonly runs: ReadonlyArray<{
    readonly tool: {
      readonly driver: {
        readonly name: string
        readonly version: string
        readonly semanticVersion: string
        readonly rules: ReadonlyArray<SarifRule>
      }
    }
    readonly invocations: ReadonlyArray<{
      readonly executionSuccessful: boolean
      readonly toolExecutionNotifications: ReadonlyArray<{
        readonly level: "error"
        readonly message: SarifMessage
      }>
    }>
    readonly columnKind: "utf16CodeUnits"
    readonly results: ReadonlyArray<SarifResult>
  }>
}

/** Braces and brackets mean placeholders and links in a message of SARIF. */
const message = (text: string): SarifMessage => ({
  text: text.replace(/[{}]/g, "$&$&").replace(/[[\]\\]/g, String.raw`\$&`)
})

/** A path as a URI reference; an absolute one becomes a URI. */
const uriOf = (path: string): string => {
  if (/^[a-z][a-z0-9+.-]+:/i.test(path)) return path
  const uri = path.split(/[\\/]/).map(encodeURIComponent).join("/")
  return uri.startsWith("/") ? `file://${uri}` : uri.replace(/^\.\//, "")
}

const pascal = (code: string): string => code.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const sarifRule = (code: string, level: SarifResult["level"]): SarifRule => {
  const rule = ruleOf(code)
  const base = { id: code, name: pascal(code), defaultConfiguration: { level } }
  if (rule === undefined) return base
  return {
    ...base,
    shortDescription: message(rule.title),
    fullDescription: message(rule.why),
    help: message(`${rule.fix} More: ${rulePage(rule)} in the package.`)
  }
}

const logicalLocation = (where: Where): SarifLocation["logicalLocations"] => {
  const { line: _, ...rest } = where
  const name = whereText(rest)
  return name === "" ? undefined : [{ fullyQualifiedName: name }]
}

/** The log of one run over some documents; `failures` says which could not be read, and why. */
export const sarifLog = (
  version: string,
  documents: ReadonlyArray<SarifDocument>,
  failures: ReadonlyArray<string> = []
): SarifLog => {
  const rules: Array<SarifRule> = []
  const results = documents.flatMap(({ path, report, text }) => {
    const lines = linesOf(text)
    const uri = uriOf(path)
    const resultOf = (
      finding: { readonly code: string; readonly message: string; readonly where: Where; readonly quote?: string },
      level: SarifResult["level"]
    ): SarifResult => {
      const known = rules.findIndex((rule) => rule.id === finding.code)
      const ruleIndex = known < 0 ? rules.push(sarifRule(finding.code, level)) - 1 : known
      const span = locate(lines, finding)
      const region: SarifRegion =
        span === undefined
          ? { startLine: 1 }
          : { startLine: span.line, startColumn: span.column, endLine: span.endLine, endColumn: span.endColumn }
      const logicalLocations = logicalLocation(finding.where)
      return {
        ruleId: finding.code,
        ruleIndex,
        level,
        message: message(finding.message),
        locations: [
          {
            physicalLocation: { artifactLocation: { uri }, region },
            ...(logicalLocations === undefined ? {} : { logicalLocations })
          }
        ]
      }
    }
    return [
      ...report.issues.map((issue) => resultOf(issue, "error")),
      ...report.repairs.map((repair) => resultOf(repair, "note"))
    ]
  })
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "task-conductor",
            version,
            semanticVersion: version,
            rules
          }
        },
        invocations: [
          {
            executionSuccessful: failures.length === 0,
            toolExecutionNotifications: failures.map((text) => ({ level: "error", message: message(text) }))
          }
        ],
        columnKind: "utf16CodeUnits",
        results
      }
    ]
  }
}
