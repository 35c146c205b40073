/**
 * How a run is shown while it works, how its command ends, and how it is resumed. The last lines say which files changed, what was
 * not done and why, how it ended, and what it cost.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Issue, issueText, whereText } from "../../domain/findings/Issue.ts"
import { cachedText } from "../../domain/models/TokenCounts.ts"
import { type FileChange, fileChanges } from "../../domain/runs/FileChanges.ts"
import { type RunReport, type RunStatus, exitCodeOf } from "../../domain/runs/RunReport.ts"
import type { Paint } from "./Colour.ts"
import { lastIssues, isOwnChoice, count, shown, personLine, statusText } from "./EventLines.ts"
import { durationText } from "../../domain/text/Format.ts"
import { type EventSink, jsonSink, progressSink, quietSink } from "./EventSink.ts"
import { quietFailure } from "./Failure.ts"
import { markdownText } from "./MarkdownText.ts"
import { Output } from "./Output.ts"
import type { CommandPorts } from "./ports.ts"
import type { Signals } from "./Signals.ts"

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

/** Place, what is wrong and what to do, on one line: for the author of a document. */
const issueLine = (issue: Issue, most: number): string => {
  const place = whereText(issue.where)
  return shown(`${place === "" ? "" : `${place}: `}${issueText(issue)}`, most)
}

/** The issues that ended a run. Without a model call they are about a document that the person gave. */
const endingIssues = ({ issues, usage }: RunReport): ReadonlyArray<string> =>
  usage.modelCalls === 0 ? issues.map((issue) => `  ${issueLine(issue, 800)}`) : lastIssues(issues)

/** Says how many links of the answer and the results are marked as wrong; nothing when all are right. */
const evidenceLine = ({ evidence }: RunReport): ReadonlyArray<string> =>
  evidence === undefined || evidence.wrong === 0
    ? []
    : [
        `evidence: ${evidence.wrong} of ${count(evidence.checked, "link")} could not be confirmed; each is marked in the text`
      ]

const bounded = <A>(all: ReadonlyArray<A>, line: (one: A) => string, noun: string): ReadonlyArray<string> => {
  const more = all.length - mostLines
  return [...all.slice(0, mostLines).map(line), ...(more > 0 ? [`  and ${count(more, `more ${noun}`)}`] : [])]
}

const changeLine =
  (paint: Paint, project: string) =>
  ({ added, isNew, isPartial, path, removed }: FileChange): string => {
    const place = project !== "" && path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path
    const counts = [
      ...(added > 0 || removed === 0 ? [paint.green(`+${added}`)] : []),
      ...(removed > 0 ? [paint.red(`-${removed}`)] : [])
    ]
    return `  ${isNew ? "created" : "changed"} ${shown(place)} (${counts.join(" ")}${isPartial ? " and more" : ""})`
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
    count(results.length, "result"),
    ...(isVerbose ? [count(rounds, "round")] : []),
    count(modelCalls, "model call"),
    count(toolCalls, "tool call"),
    timeText(durationMs, personMs),
    ...(promptTokens + answerTokens === 0
      ? []
      : [`${tokens(promptTokens)} tokens read${cachedText(usage, tokens)}, ${tokens(answerTokens)} written`])
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

/** True unless the run is done or has no plan to continue with. */
const canResume = (status: RunStatus): boolean => status !== "done" && status !== "no_valid_plan"

/** How a run is reported: its events as JSON Lines or as progress, and whether it can be resumed here. */
interface ReportStyle {
  readonly json: boolean
  readonly verbose?: boolean
  readonly plain?: boolean
  /** Where the events went; it knows how long persons took to answer. */
  readonly sink?: EventSink
  /** Only the answer and errors are printed. */
  readonly quiet?: boolean
  /** The run is no saved run of this machine: it is not resumed here. */
  readonly isClusterRun?: boolean
}

/** Where the events of a run go. */
export const eventSink = ({
  isClusterRun = false,
  json,
  plain = false,
  quiet = false,
  verbose = false
}: ReportStyle): Effect.Effect<EventSink, never, Output | Signals> =>
  json
    ? jsonSink
    : quiet
      ? quietSink
      : progressSink(verbose, {
          isPlain: plain,
          stop: isClusterRun ? "leaves it to the workers" : "stops"
        })

/** True for an answer that was bound to a schema: JSON is no markdown. */
const isJson = (text: string): boolean =>
  /^[{[]/.test(text) && Result.isSuccess(Result.try(() => JSON.parse(text) as unknown))

/** Prints an answer: rendered before a person, else as it is. */
export const printAnswer = Effect.fnUntraced(function* (markdown: string, isPlain: boolean) {
  const { answer, isWatched, result, resultColumns: columns, resultPaint: paint, screen } = yield* Output
  if (markdown.trim() === "") return
  const text = markdown.trimEnd()
  if (isPlain || !isWatched || isJson(text)) return yield* answer(text)
  yield* result(markdownText(text, { paint, columns: columns(), isUnicode: screen.isUnicode }))
})

/** Ends the stream of events with an error when the work fails in the middle. */
export const untilReport =
  ({ abort }: EventSink) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapCause(work, (cause) => (Cause.hasInterrupts(cause) ? Effect.void : abort("The run broke off.")))

/** The answer on stdout, the outcome on stderr, how to resume the run, and the exit code. */
export const endWithReport = Effect.fnUntraced(function* (
  report: RunReport,
  { isClusterRun = false, json, plain = false, quiet = false, sink, verbose = false }: ReportStyle
) {
  const { isWatched, screen, tell, tellPaint } = yield* Output
  if (!json) {
    yield* printAnswer(report.answer, plain || quiet)
    if (!quiet || report.status !== "done") {
      const isUnicode = screen.isUnicode && screen.columns() !== undefined
      const personMs = sink?.personMs?.() ?? 0
      const project = sink?.project?.() ?? ""
      if (isWatched && report.answer.trim() !== "") yield* tell("")
      yield* tell(outcomeLines(report, tellPaint, { isUnicode, isVerbose: verbose, personMs, project }))
    }
    if (canResume(report.status) && !isClusterRun) yield* tell(resumeLine(report.runId))
  }
  if (report.status !== "done") return yield* quietFailure(exitCodeOf(report.status))
})

/** The line that says how to resume a run. */
const resumeLine = (runId: string): string => `Resume it: task-conductor resume ${runId}`

/** Ports that notice when a run begins, and what says how to resume it when it is stopped after that. */
export const makeResumable = (ports: CommandPorts) => {
  let begun: string | undefined
  const { abort, listen } = ports.sink
  const noticing: CommandPorts = {
    ...ports,
    sink: {
      abort,
      listen: (recorded) => {
        const { event } = recorded
        if (event.type === "run.started") begun = event.runId
        return listen(recorded)
      }
    }
  }
  const tell = Effect.suspend(() =>
    begun === undefined || ports.isJson === true
      ? Effect.void
      : Output.use((output) => output.tell(resumeLine(begun ?? "")))
  )
  return {
    ports: noticing,
    tellWhenStopped: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.onInterrupt(work, () => tell)
  }
}
