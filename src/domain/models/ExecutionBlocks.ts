/**
 * How the executor and the later stages see tool calls and results. A text that does not fit is shortened, with a note
 * that says how much is shown.
 */
import type * as Schema from "effect/Schema"
import { shares, sharesInOrder, shorten } from "../text/Excerpt.ts"
import { fenced, fenceFor } from "../markdown/PromptBlock.ts"
import type { Task } from "../plan/Task.ts"
import type { TaskFailure, TaskResult } from "../plan/TaskResult.ts"
import type { CallOutcome, ToolCall } from "../tools/ToolCall.ts"
import { cutOutput, diffOf, outcomeText } from "./OutputText.ts"

/** The texts, shortened so that together they take at most `budget` characters. */
const fitTexts = (texts: ReadonlyArray<string>, budget: number): ReadonlyArray<string> => {
  const limits = shares(
    texts.map((text) => text.length),
    budget
  )
  return texts.map((text, index) => shorten(text, limits[index] ?? 0))
}

/** The arguments without the texts that the diff in the output shows. */
const shownArguments = ({ call, result }: CallOutcome): Schema.Json => {
  const strip = (value: Schema.Json): Schema.Json => {
    if (typeof value === "string") return value.includes("\n") || value.length > 80 ? "(see the diff)" : value
    if (Array.isArray(value)) return value.map(strip)
    if (value === null || typeof value !== "object") return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, strip(one)]))
  }
  return diffOf(result) === undefined ? call.arguments : strip(call.arguments)
}

const callBlock = (outcome: CallOutcome, output: string): string => {
  const { name, uid } = outcome.call
  const call = JSON.stringify({ uid, name, arguments: shownArguments(outcome) })
  const shown = fenced(output, diffOf(outcome.result) === undefined ? "text" : "diff")
  return `### Tool call ${name} (${uid})\n\n${fenced(call, "json")}\n\nOutput:\n\n${shown}\n\n`
}

/**
 * Per call `### Tool call <name> (<uid>)` with the call as JSON and its output as text. All outputs take at most `budget`
 * characters, or what `callFrame` measures where that is more: short outputs are whole, and the last calls are cut first.
 */
export const callBlocks = (outcomes: ReadonlyArray<CallOutcome>, budget: number): string => {
  const limits = sharesInOrder(
    outcomes.map((outcome) => outcomeText(outcome).length),
    budget
  )
  return outcomes.map((outcome, index) => callBlock(outcome, cutOutput(outcome, limits[index] ?? 0))).join("")
}

/** Characters of the blocks around the outputs, with the notes on what is left out. */
export const callFrame = (outcomes: ReadonlyArray<CallOutcome>): number =>
  outcomes.reduce((sum, outcome) => {
    const fences = 2 * fenceFor(outcomeText(outcome)).length
    return sum + callBlock(outcome, "").length + fences + cutOutput(outcome, 0).length
  }, 0)

/** Most texts are on one line, and need no copy; the lines of a large plan are made several times until they fit. */
const onOneLine = (text: string): string => (/\s\s|[^\S ]/.test(text) ? text.replaceAll(/\s+/g, " ") : text).trim()

const expectedLine = ({ expectedOutput }: Task): string => `To deliver: ${onOneLine(expectedOutput)}`

/**
 * The results of finished tasks, one `### <name>` each, for iteration and conclusion; `budget` as above. Iteration compares
 * each with what the task was to deliver.
 */
export const resultBlocks = (
  results: ReadonlyArray<TaskResult>,
  budget: number,
  { expected = false }: { readonly expected?: boolean } = {}
): string => {
  const summaries = results.map(({ result }) => result.summary.trim())
  const shown = fitTexts(summaries, budget)
  const hasDetails = results.some(({ result }) => /^## Details\b/m.test(result.document))
  const note = hasDetails ? "(Only the summaries are shown here; their details are not.)\n\n" : ""
  return (
    note +
    results
      .map(({ name, task }, index) => {
        const order = expected ? `${expectedLine(task)}\n\n` : ""
        return `### ${name}\n\n${order}${shown[index] ?? ""}\n\n`
      })
      .join("")
  )
}

/** What a call was about, as far as its arguments say it in few words: `edit_file src/a.ts`. */
const callLabel = ({ arguments: given, name }: ToolCall): string => {
  const subject = given["path"] ?? given["url"] ?? given["argv"] ?? given["pattern"]
  const text = Array.isArray(subject) ? subject.join(" ") : typeof subject === "string" ? subject : ""
  return `\`${`${name} ${text.replaceAll(/[\s`]+/g, " ").slice(0, 100)}`.trim()}\``
}

/** What had run before a task failed: work that need not be done again. */
const ranText = ({ ran }: TaskFailure): string => {
  const labels = (wanted: boolean) =>
    (ran ?? []).filter(({ success }) => success === wanted).map(({ call }) => callLabel(call))
  const [done, failed] = [labels(true), labels(false)]
  return [
    ...(done.length === 0 ? [] : [` Before that, these calls were made and succeeded: ${done.join(", ")}.`]),
    ...(failed.length === 0 ? [] : [` These calls failed: ${failed.join(", ")}.`])
  ].join("")
}

/** One line per task that ended without a result. */
export const failureLines = (failures: ReadonlyArray<TaskFailure>): string =>
  failures.map((failure) => `- ${failure.message.replaceAll(/\s*\n\s*/g, " ")}${ranText(failure)}`).join("\n")
