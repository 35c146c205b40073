/** The last lines of a run: changed files, work that was not done and why, the status, and the cost. */
import { statusOf } from "../../domain/checks/CheckOutcome.ts"
import { checkFact, claimText, stateLine } from "../../domain/checks/Facts.ts"
import { placedIssueText } from "../../domain/findings/Issue.ts"
import { cachedText, loadText, speedText } from "../../domain/models/TokenCounts.ts"
import { type FileChange, fileChanges } from "../../domain/runs/FileChanges.ts"
import type { RunReport, RunStatus } from "../../domain/runs/RunReport.ts"
import type { Paint } from "./Colour.ts"
import { lastIssues, isOwnChoice, safeText, userLine, statusText } from "./EventLines.ts"
import { counted, durationText } from "../../domain/text/Format.ts"

export interface EndingOptions {
  /** How long the user took for answers, in milliseconds. The run's time does not include it. */
  readonly userMs?: number
  readonly isVerbose?: boolean
  /** The project folder, to which shown paths are relative. */
  readonly project?: string
  readonly isUnicode?: boolean
}

/** The maximum number of files or tasks that are listed. A last line counts the remaining ones. */
const mostLines = 12
/** The time that the user took for answers is shown only if it is at least this long, in milliseconds. */
const leastUserMs = 1000

/** The issues that ended a run. If no model was called, the issues are about a document of the user. */
const endingIssues = ({ issues, usage }: RunReport): ReadonlyArray<string> =>
  usage.modelCalls === 0 ? issues.map((issue) => `  ${safeText(placedIssueText(issue), 800)}`) : lastIssues(issues)

/** The line about links that could not be confirmed. Empty if there are none. */
const evidenceLine = ({ evidence }: RunReport): ReadonlyArray<string> =>
  evidence === undefined || evidence.wrong === 0
    ? []
    : [
        `evidence: ${evidence.wrong} of ${counted(evidence.checked, "link")} could not be confirmed; each is marked in the text`
      ]

/** Warns about unchecked changes, and about false claims in reports. */
const checkedLines = ({ facts }: RunReport): ReadonlyArray<string> => {
  if (facts === undefined) return []
  const { checks, claims = [] } = facts
  const without = checks.filter((check) => statusOf(check) === "not checked").map((check) => checkFact(check))
  const lines = [stateLine(facts) ?? [], without, claims.map(claimText)].flat()
  return lines.map((line) => `  ${safeText(line, 600)}`)
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
    return `  ${isRemoved ? "removed" : isNew ? "created" : "changed"} ${safeText(place)} (${counts.join(" ")}${isPartial ? " and more" : ""})`
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

/** A number of tokens as text, such as `980` or `12.3k`. */
const tokens = (number: number): string => (number < 10_000 ? String(number) : `${(number / 1000).toFixed(1)}k`)

/** Says how long the work and the user's answers took. */
export const timeText = (durationMs: number, userMs: number): string =>
  `${durationText(Math.max(0, durationMs - userMs))}${userMs >= leastUserMs ? ` and ${durationText(userMs)} for your answers` : ""}`

const costs = ({ results, rounds, usage }: RunReport, { isVerbose = false, userMs = 0 }: EndingOptions): string => {
  const { answerTokens, durationMs, modelCalls, promptTokens, toolCalls } = usage
  return [
    counted(results.length, "result"),
    ...(isVerbose ? [counted(rounds, "round")] : []),
    counted(modelCalls, "model call"),
    counted(toolCalls, "tool call"),
    timeText(durationMs, userMs),
    ...(promptTokens + answerTokens === 0
      ? []
      : [
          `${tokens(promptTokens)} tokens read${cachedText(usage, tokens)}, ${tokens(answerTokens)} written${speedText(usage)}${loadText(usage)}`
        ])
  ].join(", ")
}

/** The last lines of a run. The reason why a run is not done has been printed before. */
export const outcomeLines = (report: RunReport, paint: Paint, options: EndingOptions = {}): string => {
  const { failures, message } = report
  const project = options.project ?? ""
  /* A run that ended because the user denied a call is shown as declined. */
  const isOwn = report.status === "not_permitted" && isOwnChoice(message)
  const status: RunStatus = isOwn ? "declined" : report.status
  const sign = options.isUnicode === true ? (signs[status] ?? "✖ ") : ""
  return [
    ...endingIssues(report),
    ...bounded(fileChanges(report.results), changeLine(paint, project), "file"),
    ...checkedLines(report),
    ...bounded(
      /* A failure in several rounds is shown once. */
      [
        ...new Set(
          failures.map(
            ({ reason, task }) => `  not done: "${safeText(task)}": ${safeText(userLine(reason, project), 200)}`
          )
        )
      ],
      (line) => line,
      "task"
    ),
    ...evidenceLine(report),
    `${paint.bold(statusPaint(status, paint)(`${sign}${statusText(report.status)}`))}: ${costs(report, options)}`
  ].join("\n")
}
