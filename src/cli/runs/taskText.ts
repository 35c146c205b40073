/**
 * What `show --task` prints for a person: what the task was for, what was found, what was called, and which files it had.
 * The prompts and whole outputs are in `evidenceText`. Markdown. Pure.
 */
import { personText } from "../../domain/findings/PersonText.ts"
import type { CallEvidence, TaskEvidence } from "../../domain/history/RunEvidence.ts"
import { cachedText, cachedTokensOf } from "../../domain/models/CachedTokens.ts"
import { withoutProject } from "../../domain/text/ShortPaths.ts"
import { firstLine, section, stateText } from "./showText.ts"
import { durationText } from "./whenText.ts"

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

/** The first argument that is a short value. */
const argumentText = (given: CallEvidence["call"]["arguments"]): string => {
  const value = Object.values(given).find((one) => typeof one === "string" || typeof one === "number")
  return firstLine(String(value ?? ""))
}

const callLine = ({ call, result, targets }: CallEvidence, project: string): string => {
  const about = targets.length > 0 ? targets.map((one) => withoutProject(one, project)) : [argumentText(call.arguments)]
  const what = [call.name, ...about].join(" ").trimEnd()
  if (result === undefined) return `- ${what}: did not finish`
  const time = durationText(result.metadata.execution_time_ms)
  if (!result.success)
    return `- ${what}: failed, ${withoutProject(firstLine(result.error_message ?? result.error_type), project)}`
  return `- ${what}: ${result.metadata.data_size_bytes} bytes, ${time}`
}

/** How often the model was asked, what that cost, and what was wrong with its answers. */
const modelLines = ({ attempts }: TaskEvidence): ReadonlyArray<string> => {
  if (attempts.length === 0) return []
  const usages = attempts.flatMap(({ answer }) => (answer === undefined ? [] : [answer.usage]))
  const sum = (of: (usage: (typeof usages)[number]) => number) => usages.reduce((total, one) => total + of(one), 0)
  const cost = [
    `${sum(({ promptTokens = 0 }) => promptTokens)} tokens in${cachedText(cachedTokensOf(usages))}`,
    `${sum(({ answerTokens = 0 }) => answerTokens)} out`,
    durationText(sum(({ durationMs }) => durationMs))
  ].join(", ")
  const rejected = attempts.filter(({ issues }) => issues.length > 0)
  return [
    `- ${count(attempts.length, "call")}: ${cost}`,
    ...rejected.flatMap(({ call, issues }) =>
      issues.map((issue) => `- ${call.stage}, attempt ${call.attempt} was not usable: ${personText(issue)}`)
    )
  ]
}

/** The task in brief; paths below the project are relative. */
export const taskText = (evidence: TaskEvidence, project: string): string => {
  const { calls, failures, filesWritten, references, skill, state, summary, task, whatIsNeeded } = evidence
  return [
    `# Task ${task}`,
    "",
    `${stateText[state]}${skill === undefined ? "" : ` · skill ${skill}`}`,
    "",
    ...section("What it was for", whatIsNeeded === undefined ? [] : [whatIsNeeded.trim()]),
    ...section("What was found", summary === undefined ? [] : [summary.trim()]),
    ...section(
      "Why there is no result",
      failures.map((text) => `- ${text}`)
    ),
    ...section(
      "Calls",
      calls.map((call) => callLine(call, project))
    ),
    ...section("Files", [
      ...references.map(({ characters, href, title }) => `- read [${title}](${href}), ${characters} characters`),
      ...filesWritten.map((path) => `- wrote ${withoutProject(path, project)}`)
    ]),
    ...section("Model", modelLines(evidence)),
    "--prompts shows the prompts, the answers, and everything that was called and returned."
  ].join("\n")
}
