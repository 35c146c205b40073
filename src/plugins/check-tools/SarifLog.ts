/** Converts reports of checks to a SARIF 2.1.0 log for code hosts. Issues become errors, repairs become notes. */
import { type CheckReport, ruleOf, type Where, whereText } from "../../kit/documents.ts"
import { linesOf, locate } from "./TextSpan.ts"

/** A checked document. */
export interface SarifDocument {
  /** A path relative to the checked folder, or a URI; `stdin` for a pipe. */
  readonly path: string
  /** The checked text. */
  readonly text: string
  /** What the check found. */
  readonly report: Pick<CheckReport, "issues" | "repairs">
}

type Level = "error" | "note"

interface Finding {
  readonly code: string
  readonly message: string
  readonly where: Where
  readonly quote?: string
}

/** Escapes braces and brackets, which are placeholders and links in SARIF. */
const message = (text: string) => ({ text: text.replace(/[{}]/g, "$&$&").replace(/[[\]\\]/g, String.raw`\$&`) })

const uriOf = (path: string): string => {
  if (/^[a-z][a-z0-9+.-]+:/i.test(path)) return path
  const uri = path.split(/[\\/]/).map(encodeURIComponent).join("/")
  return uri.startsWith("/") ? `file://${uri}` : uri.replace(/^\.\//, "")
}

const pascal = (code: string): string => code.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const sarifRule = (code: string, level: Level) => {
  const rule = ruleOf(code)
  const texts =
    rule === undefined
      ? {}
      : {
          shortDescription: message(rule.title),
          fullDescription: message(rule.why),
          help: message(`${rule.fix} More: task-conductor explain ${code}`)
        }
  return { id: code, name: pascal(code), defaultConfiguration: { level }, ...texts }
}

const sarifLocation = (uri: string, lines: ReadonlyArray<string>, finding: Finding) => {
  const { column, line, ...end } = locate(lines, finding) ?? { line: 1 }
  const region = { startLine: line, ...(column === undefined ? {} : { startColumn: column, ...end }) }
  const { line: _, ...place } = finding.where
  const name = whereText(place)
  return {
    physicalLocation: { artifactLocation: { uri }, region },
    ...(name === "" ? {} : { logicalLocations: [{ fullyQualifiedName: name }] })
  }
}

/** The log of one check. `failures` gives reasons why documents could not be read. */
export const sarifLog = (
  version: string,
  documents: ReadonlyArray<SarifDocument>,
  failures: ReadonlyArray<string> = []
) => {
  const rules: Array<ReturnType<typeof sarifRule>> = []
  const results = documents.flatMap(({ path, report, text }) => {
    const lines = linesOf(text)
    const resultOf = (finding: Finding, level: Level) => {
      const index = rules.findIndex((rule) => rule.id === finding.code)
      return {
        ruleId: finding.code,
        ruleIndex: index < 0 ? rules.push(sarifRule(finding.code, level)) - 1 : index,
        level,
        message: message(finding.message),
        locations: [sarifLocation(uriOf(path), lines, finding)]
      }
    }
    return [
      ...report.issues.map((issue) => resultOf(issue, "error")),
      ...report.repairs.map((repair) => resultOf(repair, "note"))
    ]
  })
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0" as const,
    runs: [
      {
        tool: { driver: { name: "task-conductor", version, semanticVersion: version, rules } },
        invocations: [
          {
            executionSuccessful: failures.length === 0,
            toolExecutionNotifications: failures.map((text) => ({ level: "error" as const, message: message(text) }))
          }
        ],
        columnKind: "utf16CodeUnits" as const,
        results
      }
    ]
  }
}

/** A log in the format SARIF 2.1.0. */
export type SarifLog = ReturnType<typeof sarifLog>
