/**
 * What `show` prints for a person, as markdown. Pure.
 */
import { fencedBlock } from "../../domain/markdown/PromptBlock.ts"
import { modelText, personText, repairText } from "../../domain/findings/IssueText.ts"
import type { Attempt, CallEvidence, TaskEvidence, TaskState, UnrunCall } from "../../domain/history/RunEvidence.ts"
import type { RunOverview } from "../../domain/history/RunOverview.ts"
import { cachedText, cachedTokensOf } from "../../domain/models/TokenCounts.ts"
import { type DeniedCalls, finishedText } from "../../domain/plan/TaskResult.ts"
import { resultText } from "../../domain/models/OutputText.ts"
import { badExit, type ToolResult } from "../../domain/tools/ToolCall.ts"
import { withoutProject, shortDurationText } from "../../domain/text/Format.ts"
import { wrapLine } from "../../domain/text/TextWidth.ts"
import { makePaint } from "../terminal/Colour.ts"
import { durationText, standingText, whenText } from "./runList.ts"
import { toolCallText } from "../../domain/runs/CallText.ts"

export const section = (heading: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [`## ${heading}`, "", ...lines, ""]

/** How a task stands. */
export const stateText = ({
  denied,
  state
}: {
  readonly denied?: DeniedCalls | undefined
  readonly state: TaskState
}): string => (state === "finished" ? finishedText(denied) : state === "open" ? "not done" : state)

/** How the run stands, in a line or two. */
const headLines = (overview: RunOverview, now: Date): ReadonlyArray<string> => {
  const { durationMs, exitCode, model, project, prompt, startedAt, status, tasks } = overview
  const done = tasks.filter(({ state }) => state === "finished").length
  return [
    [
      standingText(status, makePaint(false)),
      ...(tasks.length === 0 ? [] : [`${done}/${tasks.length} tasks`]),
      ...(durationMs === undefined ? [] : [durationText(durationMs)]),
      ...(exitCode === undefined ? [] : [`exit code ${exitCode}`])
    ].join(" · "),
    "",
    ...(startedAt === undefined ? [] : [`- Started: ${whenText(startedAt, now)}`]),
    ...(model === undefined ? [] : [`- Model: ${model}`]),
    `- Project: ${project}`,
    `- Prompt: ${firstLine(prompt)}`,
    ""
  ]
}

/** The plan, the outcome of each task, and the answer. */
export const overviewText = (overview: RunOverview, now: Date): string => {
  const { answer, evidence, message, plan, project, runId, tasks } = overview
  return [
    `# Run ${runId}`,
    "",
    ...headLines(overview, now),
    ...section("Plan", plan === "" ? ["There is none."] : [fencedBlock("", plan, "markdown").trim()]),
    ...section(
      "Tasks",
      tasks.map(
        ({ denied, name, state, text }) =>
          `- **${name}** ${stateText({ denied, state })}${text === "" ? "" : `: ${firstLine(withoutProject(text, project))}`}`
      )
    ),
    ...section("Why it ended", message === "" ? [] : [withoutProject(message, project)]),
    ...section(
      "Evidence",
      evidence === undefined
        ? []
        : [`Links checked: ${evidence.checked}. Wrong, and marked in the text: ${evidence.wrong}.`]
    ),
    ...section("Answer", answer === "" ? [] : [answer.trim()])
  ].join("\n")
}

/** The beginning of a text, on one line. */
export const firstLine = (text: string): string => {
  const line = text.trim().split("\n")[0] ?? ""
  return line.length > 160 ? `${line.slice(0, 160)}...` : line
}

/** The text with lines broken between words at this width; further lines of an item stand below its words. */
export const wrappedText = (text: string, columns: number | undefined): string =>
  columns === undefined
    ? text
    : text
        .split("\n")
        .flatMap((line) => {
          const lead = /^\s*(?:[-*]\s+|\d+[.)]\s+)?/.exec(line)?.[0] ?? ""
          return wrapLine(line, columns, " ".repeat(lead.length))
        })
        .join("\n")

const attemptLines = ({ answer, call, failures, issues, repairs, system, user }: Attempt): ReadonlyArray<string> => [
  `### ${call.stage}, round ${call.round}, attempt ${call.attempt}`,
  "",
  ...(answer === undefined
    ? ["No answer came.", ""]
    : [
        `${answer.usage.promptTokens ?? "?"} tokens in${cachedText(answer.usage)}, ${answer.usage.answerTokens ?? "?"} out, ${(answer.usage.durationMs / 1000).toFixed(1)} s`,
        ""
      ]),
  ...failures.map((text) => `- failed: ${text}`),
  ...issues.flatMap((issue) => [`- issue ${personText(issue)}`, `  - the model was told: ${modelText(issue)}`]),
  ...repairs.map((repair) => `- repaired ${repairText(repair)}`),
  fencedBlock("#### System part of the prompt", system, "text").trim(),
  "",
  fencedBlock("#### User part of the prompt", user, "text").trim(),
  "",
  ...(answer === undefined ? [] : [fencedBlock("#### Answer", answer.text, "markdown").trim(), ""])
]

const callLines = ({ call, result, risk, targets }: CallEvidence): ReadonlyArray<string> => [
  `### ${call.name} (${call.uid}), ${risk}${targets.length === 0 ? "" : `: ${targets.join(", ")}`}`,
  "",
  fencedBlock("#### Arguments", JSON.stringify(call.arguments, null, 2), "json").trim(),
  "",
  result === undefined
    ? "It did not finish."
    : fencedBlock(
        `#### ${result.success ? (badExit(result) ?? "Output") : `Failed: ${result.error_type}`}, ${result.metadata.execution_time_ms} ms`,
        result.success ? resultText(result) : (result.error_message ?? ""),
        "text"
      ).trim(),
  ""
]

const unrunLines = ({ call, result }: UnrunCall): ReadonlyArray<string> => [
  `### ${call.name} (${call.uid}), was not run`,
  "",
  fencedBlock("#### Arguments", JSON.stringify(call.arguments, null, 2), "json").trim(),
  "",
  fencedBlock(`#### Failed: ${result.error_type}`, result.error_message ?? "", "text").trim(),
  ""
]

/** Everything about one task. */
export const evidenceText = ({
  attempts,
  calls,
  failures,
  references,
  result,
  task,
  unrun = []
}: TaskEvidence): string =>
  [
    `# Task ${task}`,
    "",
    ...section(
      "References",
      references.map(
        ({ characters, hash, href, title, tokens }) =>
          `- [${title}](${href}) ${characters} characters, about ${tokens} tokens, sha256 ${hash.slice(0, 16)}`
      )
    ),
    ...section("Tool calls", [...calls.flatMap(callLines), ...unrun.flatMap(unrunLines)]),
    ...section("Model calls", attempts.flatMap(attemptLines)),
    ...section(
      "Failures",
      failures.map((text) => `- ${text}`)
    ),
    ...section("Result", result === undefined ? ["There is none."] : [result.trim()])
  ].join("\n")

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

const reasonText = ({ error_message, error_type }: ToolResult, project: string): string =>
  withoutProject(firstLine(error_message ?? error_type), project)

const callLine = ({ call, result, targets }: CallEvidence, project: string): string => {
  const what = firstLine(toolCallText(call, targets, project))
  if (result === undefined) return `- ${what}: did not finish`
  if (!result.success) return `- ${what}: failed, ${reasonText(result, project)}`
  const { data_size_bytes, execution_time_ms } = result.metadata
  const exit = badExit(result)
  return `- ${what}: ${exit === undefined ? "" : `${exit}, `}${count(data_size_bytes, "byte")}, ${shortDurationText(execution_time_ms)}`
}

/** A denial says itself what was denied. */
const unrunLine = ({ call, result }: UnrunCall, project: string): string =>
  `- ${firstLine(toolCallText(call, [], project))}: ${result.error_type === "permission_denied" ? "" : "not run, "}${reasonText(result, project)}`

/** How often the model was asked, what that cost, and what was wrong with its answers. */
const modelLines = ({ attempts }: TaskEvidence): ReadonlyArray<string> => {
  if (attempts.length === 0) return []
  const usages = attempts.flatMap(({ answer }) => (answer === undefined ? [] : [answer.usage]))
  const sum = (of: (usage: (typeof usages)[number]) => number) => usages.reduce((total, one) => total + of(one), 0)
  const cost = [
    `${sum(({ promptTokens = 0 }) => promptTokens)} tokens in${cachedText(cachedTokensOf(usages))}`,
    `${sum(({ answerTokens = 0 }) => answerTokens)} out`,
    shortDurationText(sum(({ durationMs }) => durationMs))
  ].join(", ")
  /* A model makes the same mistake again and again; it is reported once, with how often. */
  const findings = new Map<string, number>()
  for (const { call, issues } of attempts) {
    for (const text of new Set(issues.map((issue) => `${call.stage}: ${personText(issue)}`)))
      findings.set(text, (findings.get(text) ?? 0) + 1)
  }
  return [
    `- ${count(attempts.length, "call")}: ${cost}`,
    ...[...findings].map(([text, times]) => `- not usable in ${count(times, "answer")}, ${text}`)
  ]
}

/** The task in brief; paths below the project are relative. */
export const taskText = (evidence: TaskEvidence, project: string): string => {
  const { calls, failures, filesWritten, references, skill, summary, task, unrun = [], whatIsNeeded } = evidence
  return [
    `# Task ${task}`,
    "",
    `${stateText(evidence)}${skill === undefined ? "" : ` · skill ${skill}`}`,
    "",
    ...section("What it was for", whatIsNeeded === undefined ? [] : [whatIsNeeded.trim()]),
    ...section("What was found", summary === undefined ? [] : [summary.trim()]),
    ...section(
      "Why there is no result",
      [...new Set(failures)].map((text) => `- ${withoutProject(text, project)}`)
    ),
    ...section("Calls", [
      ...calls.map((call) => callLine(call, project)),
      ...unrun.map((call) => unrunLine(call, project))
    ]),
    ...section("Files", [
      ...references.map(({ characters, href, title }) => `- read [${title}](${href}), ${characters} characters`),
      ...filesWritten.map((path) => `- wrote ${withoutProject(path, project)}`)
    ]),
    ...section("Model", modelLines(evidence)),
    "--prompts shows the prompts, the answers, and everything that was called and returned."
  ].join("\n")
}
