/**
 * The last lines of a run: which files changed, what was not done and why, how it ended, and what it cost.
 */
import { statusOf } from "../../domain/checks/CheckOutcome.ts"
import { checkFact, claimText, stateLine } from "../../domain/checks/Facts.ts"
import { placedIssueText } from "../../domain/findings/Issue.ts"
import { cachedText, loadText, speedText } from "../../domain/models/TokenCounts.ts"
import { type FileChange, fileChanges } from "../../domain/runs/FileChanges.ts"
import type { RunReport, RunStatus } from "../../domain/runs/RunReport.ts"
import type { Paint } from "./Colour.ts"
import { lastIssues, isOwnChoice, shown, personLine, statusText } from "./EventLines.ts"
import { counted, durationText } from "../../domain/text/Format.ts"

export interface EndingOptions {
  /** How long persons took to answer questions, in milliseconds; it is no time of the run. */
  readonly personMs?: number
  readonly isVerbose?: boolean
  /** The path of the project, which paths are shown without. */
  readonly project?: string
  readonly isUnicode?: boolean
}

/** More files or tasks than this are counted. */
const mostLines = 12
/** Less time of a person than this is not printed. */
const leastPersonMs = 1000

/** The issues that ended a run. Without a model call they are about a document that the person gave. */
const endingIssues = ({ issues, usage }: RunReport): ReadonlyArray<string> =>
  usage.modelCalls === 0 ? issues.map((issue) => `  ${shown(placedIssueText(issue), 800)}`) : lastIssues(issues)

/** Says how many links of the answer and the results are marked as wrong; nothing when all are right. */
const evidenceLine = ({ evidence }: RunReport): ReadonlyArray<string> =>
  evidence === undefined || evidence.wrong === 0
    ? []
    : [
        `evidence: ${evidence.wrong} of ${counted(evidence.checked, "link")} could not be confirmed; each is marked in the text`
      ]

/** Says that the changes were not checked, or not after the last of them, and what a report says of checks that is not so. */
const checkedLines = ({ facts }: RunReport): ReadonlyArray<string> => {
  if (facts === undefined) return []
  const { checks, claims = [] } = facts
  const without = checks.filter((check) => statusOf(check) === "not checked").map((check) => checkFact(check))
  const lines = [stateLine(facts) ?? [], without, claims.map(claimText)].flat()
  return lines.map((line) => `  ${shown(line, 600)}`)
}

const bounded = <A>(all: ReadonlyArray<A>, line: (one: A) => string, noun: string): ReadonlyArray<string> => {
  const more = all.length - mostLines
  return [...all.slice(0, mostLines).map(line), ...(more > 0 ? [`  and ${counted(more, `more ${noun}`)}`] : [])]
}

const changeLine =
  (paint: Paint, project: string) =>
  ({ added, isNew, isPartial, isRemoved, path, removed }: FileChange): string => {
    const place = project !== "" && path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path
    const counts = [
      ...(added > 0 || removed === 0 ? [paint.green(`+${added}`)] : []),
      ...(removed > 0 ? [paint.red(`-${removed}`)] : [])
    ]
    return `  ${isRemoved ? "removed" : isNew ? "created" : "changed"} ${shown(place)} (${counts.join(" ")}${isPartial ? " and more" : ""})`
  }

const statusPaint = (status: RunStatus, paint: Paint) =>
  status === "done"
    ? paint.green
    : status === "declined" || status === "interrupted" || status === "limit"
      ? paint.yellow
      : paint.red

const signs: Readonly<Partial<Record<RunStatus, string>>> = {
  done: "✔ ",
  declined: "■ ",
  interrupted: "■ ",
  limit: "■ "
}

/** `980`, `12.3k` */
const tokens = (number: number): string => (number < 10_000 ? String(number) : `${(number / 1000).toFixed(1)}k`)

/** How long the work took, without the time that a person took for answers; that is printed by itself. */
export const timeText = (durationMs: number, personMs: number): string =>
  `${durationText(Math.max(0, durationMs - personMs))}${personMs >= leastPersonMs ? ` and ${durationText(personMs)} for your answers` : ""}`

const costs = ({ results, rounds, usage }: RunReport, { isVerbose = false, personMs = 0 }: EndingOptions): string => {
  const { answerTokens, durationMs, modelCalls, promptTokens, toolCalls } = usage
  return [
    counted(results.length, "result"),
    ...(isVerbose ? [counted(rounds, "round")] : []),
    counted(modelCalls, "model call"),
    counted(toolCalls, "tool call"),
    timeText(durationMs, personMs),
    ...(promptTokens + answerTokens === 0
      ? []
      : [
          `${tokens(promptTokens)} tokens read${cachedText(usage, tokens)}, ${tokens(answerTokens)} written${speedText(usage)}${loadText(usage)}`
        ])
  ].join(", ")
}

/** The last lines; why a run is not done was said before. */
export const outcomeLines = (report: RunReport, paint: Paint, options: EndingOptions = {}): string => {
  const { failures, message } = report
  const project = options.project ?? ""
  /* What a person denied looks like what they declined. */
  const isOwn = report.status === "not_permitted" && isOwnChoice(message)
  const status: RunStatus = isOwn ? "declined" : report.status
  const sign = options.isUnicode === true ? (signs[status] ?? "✖ ") : ""
  return [
    ...endingIssues(report),
    ...bounded(fileChanges(report.results), changeLine(paint, project), "file"),
    ...checkedLines(report),
    ...bounded(
      /* A task may fail in the same way in several rounds. */
      [
        ...new Set(
          failures.map(({ reason, task }) => `  not done: "${shown(task)}": ${shown(personLine(reason, project), 200)}`)
        )
      ],
      (line) => line,
      "task"
    ),
    ...evidenceLine(report),
    `${paint.bold(statusPaint(status, paint)(`${sign}${statusText(report.status)}`))}: ${costs(report, options)}`
  ].join("\n")
}
