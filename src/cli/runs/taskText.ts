/**
 * What `show --task` prints for a person: what the task was for, what was found, what was called, and which files it had.
 * The prompts and whole outputs are in `evidenceText`. Markdown. Pure.
 */
import { personText } from "../../domain/findings/PersonText.ts"
import type { CallEvidence, TaskEvidence, UnrunCall } from "../../domain/history/RunEvidence.ts"
import { cachedText, cachedTokensOf } from "../../domain/models/CachedTokens.ts"
import { callWords } from "../../domain/runs/CallWords.ts"
import { shortDurationText } from "../../domain/text/DurationText.ts"
import type { ToolResult } from "../../domain/tools/ToolCall.ts"
import { withoutProject } from "../../domain/text/ShortPaths.ts"
import { firstLine, section, stateText } from "./showText.ts"

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

const reasonText = ({ error_message, error_type }: ToolResult, project: string): string =>
  withoutProject(firstLine(error_message ?? error_type), project)

const callLine = ({ call, result, targets }: CallEvidence, project: string): string => {
  const what = firstLine(callWords(call, targets, project))
  if (result === undefined) return `- ${what}: did not finish`
  if (!result.success) return `- ${what}: failed, ${reasonText(result, project)}`
  const { data_size_bytes, execution_time_ms } = result.metadata
  return `- ${what}: ${count(data_size_bytes, "byte")}, ${shortDurationText(execution_time_ms)}`
}

/** A denial says itself what was denied. */
const unrunLine = ({ call, result }: UnrunCall, project: string): string =>
  `- ${firstLine(callWords(call, [], project))}: ${result.error_type === "permission_denied" ? "" : "not run, "}${reasonText(result, project)}`

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
  /* A model makes the same mistake again and again; it is told once, with how often. */
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
