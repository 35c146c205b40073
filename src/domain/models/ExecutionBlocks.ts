/**
 * Shows tool calls and their results to the model. A text that does not fit is shortened, with a note about the shown
 * part.
 */
import type * as Schema from "effect/Schema"
import { factLines, runFacts } from "../checks/Facts.ts"
import { type Issue, issuesMarkdown } from "../findings/Issue.ts"
import { fenceFor, fenced, rawBlock } from "../markdown/PromptBlock.ts"
import { callLabel, callLine } from "./CallLine.ts"
import { cutOutput } from "./OutputCut.ts"
import { diffOf, outcomeText } from "./OutputText.ts"
import { type FilledPrompt, type TokenScale, charactersLeft, fitsWindow } from "./PromptSize.ts"
import type { Task } from "../plan/Task.ts"
import type { TaskFailure, TaskResult } from "../plan/TaskResult.ts"
import { listWithin, shares, shorten } from "../text/Excerpt.ts"
import type { CallOutcome } from "../tools/ToolCall.ts"

/** The maximum length of each text, so that all texts together have at most `budget` characters. */
const limitsOf = (texts: ReadonlyArray<string>, budget: number): ReadonlyArray<number> =>
  shares(
    texts.map((text) => text.length),
    budget
  )

/** The arguments of a call, without long texts that the diff in the output shows. */
const shownArguments = ({ call, result }: CallOutcome): Schema.Json => {
  const strip = (value: Schema.Json): Schema.Json => {
    if (typeof value === "string") return value.includes("\n") || value.length > 80 ? "(see the diff)" : value
    if (Array.isArray(value)) return value.map(strip)
    if (value === null || typeof value !== "object") return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, strip(one)]))
  }
  return diffOf(result) === undefined ? call.arguments : strip(call.arguments)
}

/** The characters reserved for the note below a cut output. */
const noteCharacters = 100

/**
 * For each output, the number of characters that it needs if all outputs together show `lines` lines. Short outputs
 * stay whole.
 */
const neededLengths = (texts: ReadonlyArray<string>, lines: number): ReadonlyArray<number> => {
  const rows = texts.map((text) => text.split("\n"))
  const counts = shares(
    rows.map(({ length }) => length),
    lines
  )
  return rows.map((all, index) => {
    const shown = all.slice(0, counts[index])
    const note = shown.length < all.length ? noteCharacters : -1
    return shown.reduce((sum, { length }) => sum + length + 1, note)
  })
}

/**
 * The number of characters that all outputs together need to show `lines` lines in total. By default, all lines count.
 */
export const outputsSize = (outcomes: ReadonlyArray<CallOutcome>, lines = Number.POSITIVE_INFINITY): number =>
  neededLengths(outcomes.map(outcomeText), lines).reduce((sum, length) => sum + length, 0)

export const outputsWithin = (
  outcomes: ReadonlyArray<CallOutcome>,
  lines = Number.POSITIVE_INFINITY
): ReadonlyArray<string> => {
  const needed = neededLengths(outcomes.map(outcomeText), lines)
  return outcomes.map((outcome, index) => cutOutput(outcome, needed[index] ?? 0))
}

/** Where the answer with the calls is: directly above their outputs, or no longer in the prompt. */
export type CallPlace = "above" | "left out"

const callBlock = (outcome: CallOutcome, output: string, place: CallPlace): string => {
  const { name, uid } = outcome.call
  const shown = fenced(output, diffOf(outcome.result) === undefined ? "text" : "diff")
  const argumentsBlock = place === "above" ? "" : `Arguments: ${JSON.stringify(shownArguments(outcome))}\n\n`
  return `### Tool call ${name} (${uid})\n\n${argumentsBlock}Output:\n\n${shown}\n\n`
}

/**
 * The minimum number of characters of a shown output. If there is only one output, it may be as short as `leastOfOne`.
 */
export const leastOutput = 400
const leastOfOne = 80

const lineBlock = (lines: ReadonlyArray<string>): string =>
  rawBlock("## Outputs without room here: ask for them again, one at a time", lines.join("\n"))

/**
 * Writes a block `### Tool call <name> (<uid>)` for each call, with its output.
 * - If `place` has the value "left out", the block also shows the arguments.
 * - The outputs share `budget` characters. Short outputs stay whole, and long outputs share the remaining characters.
 * - If these shares become too small, the last outputs are left out. One line for each of these outputs remains, even
 *   if the budget is used up.
 * - `callFrame` tells how many characters the blocks need in addition to the outputs.
 * - `lines` is the maximum number of output lines of all calls together.
 */
export const callBlocks = (
  outcomes: ReadonlyArray<CallOutcome>,
  budget: number,
  lines = Number.POSITIVE_INFINITY,
  place: CallPlace = "left out"
): string => {
  const all = outcomes.map((outcome) => {
    const text = outcomeText(outcome)
    return { outcome, text, line: callLine(outcome), frame: callFrame([outcome], place) }
  })
  const frames = (some: typeof all): number => some.reduce((sum, { frame }) => sum + frame, 0)
  const most = budget + frames(all)
  const blocks = new Set(all)
  for (;;) {
    const some = [...blocks]
    const others = lineBlock(all.filter((one) => !blocks.has(one)).map(({ line }) => line))
    const budget = most - frames(some) - others.length
    const needed = neededLengths(
      some.map(({ text }) => text),
      lines
    )
    const limits = shares(needed, budget)
    const short = some.filter(({ text }, index) => (limits[index] ?? 0) < Math.min(leastOutput, text.length))
    const isUseful = budget >= 0 && (short.length === 0 || (short.length === 1 && budget >= leastOfOne))
    const last = short.at(-1) ?? some.at(-1)
    if (isUseful || last === undefined) {
      return (
        some.map(({ outcome }, index) => callBlock(outcome, cutOutput(outcome, limits[index] ?? 0), place)).join("") +
        others
      )
    }
    blocks.delete(last)
  }
}

/**
 * The number of characters that the blocks need in addition to their outputs. This includes the notes about omitted
 * lines.
 */
export const callFrame = (outcomes: ReadonlyArray<CallOutcome>, place: CallPlace = "left out"): number =>
  outcomes.reduce((sum, outcome) => {
    const fences = 2 * fenceFor(outcomeText(outcome)).length
    return sum + callBlock(outcome, "", place).length + fences + cutOutput(outcome, 0).length
  }, 0)

const expectedLine = ({ expectedOutput }: Task): string =>
  `To deliver: ${expectedOutput.replaceAll(/\s+/g, " ").trim()}`

/** A prompt names at most this many denied calls of a task. */
const mostDenied = 5

/** One line for each denied call of a task. Equal lines occur once. */
const deniedLines = (calls: ReadonlyArray<CallOutcome>): ReadonlyArray<string> => {
  const denied = calls.filter(({ result }) => result.error_type === "permission_denied")
  const labels = [...new Set(denied.map(({ call }) => callLabel(call)))]
  const more = labels.length - mostDenied
  return [
    ...labels.slice(0, mostDenied).map((label) => `- denied: ${label}`),
    ...(more > 0 ? [`- denied: ${more} more calls`] : [])
  ]
}

/**
 * The results of finished tasks, each under a heading `### <name>`. The summaries share `budget` characters. With
 * `expected`, each block also shows the expected output, for comparison.
 */
export const resultBlocks = (
  results: ReadonlyArray<TaskResult>,
  budget: number,
  { expected = false }: { readonly expected?: boolean } = {}
): string => {
  const summaries = results.map(({ result }) => result.summary.trim())
  const limits = limitsOf(summaries, budget)
  const hasDetails = results.some(({ result }) => /^## Details\b/m.test(result.document))
  const note = hasDetails ? "(Only the summaries are shown here; their details are not.)\n\n" : ""
  return (
    note +
    results
      .map(({ calls, checks = [], files = [], name, task }, index) => {
        const order = expected ? `${expectedLine(task)}\n\n` : ""
        const facts = [...factLines(runFacts(files, checks), { forModel: true }), ...deniedLines(calls)]
        const known = facts.length === 0 ? "" : `What the program knows:\n\n${facts.join("\n")}\n\n`
        return `### ${name}\n\n${order}${known}${shorten(summaries[index] ?? "", limits[index] ?? 0)}\n\n`
      })
      .join("")
  )
}

const ranText = ({ ran }: TaskFailure): string => {
  const labels = (wanted: boolean) =>
    new Set((ran ?? []).filter(({ success }) => success === wanted).map(({ call }) => callLabel(call)))
  const [done, failed] = [[...labels(true)], [...labels(false)]]
  return [
    ...(done.length === 0 ? [] : [` Before that, these calls were made and succeeded: ${done.join(", ")}.`]),
    ...(failed.length === 0 ? [] : [` These calls failed: ${failed.join(", ")}.`])
  ].join("")
}

/** One line for each task without a result. */
export const failureLines = (failures: ReadonlyArray<TaskFailure>): string =>
  failures.map((failure) => `- ${failure.message.replaceAll(/\s*\n\s*/g, " ")}${ranText(failure)}`).join("\n")

/** A prompt with a gap for a text. */
export type Frame = ReturnType<typeof frameOf>

/**
 * Measures how much text fits a prompt. Dispensable parts of the prompt do not count, because they are removed first.
 */
export const frameOf = (fill: (text: string) => FilledPrompt, window: number, scale: TokenScale) => {
  const filled = (text: string): FilledPrompt => {
    const prompt = fill(text)
    return prompt.lighter ?? prompt
  }
  return {
    fits: (text: string): boolean => fitsWindow(filled(text), window, scale),
    /** The characters that fit in addition to the text. */
    budget: (text: string): number => charactersLeft(window, filled(text), scale)
  }
}

/**
 * Cuts a text so that it takes at most the part `share` (0 to 1) of the prompt's free space. The text of `cut(budget)`
 * may have at most `budget` characters more than that of `cut(0)`.
 */
export const partOf = <A extends { readonly text: string }>(
  frame: Frame,
  share: number,
  cut: (budget: number) => A
): A => cut(frame.budget(cut(0).text) * share)

const onlyNames = "(There is no room for the summaries of the finished tasks, so only names are shown.)\n\n"

const moreFinished = (count: number): string =>
  `- ${count} ${count === 1 ? "more task has" : "more tasks have"} finished; there is no room for the ${count === 1 ? "name" : "names"}.`

/**
 * A fixed sentence, followed by the names of finished tasks. Names are left out if they would need more than `budget`
 * characters.
 */
const namesWithin = (results: ReadonlyArray<TaskResult>, budget: number): string =>
  onlyNames +
  listWithin(
    results.map(({ name }) => `- ${name}`),
    budget + moreFinished(results.length).length,
    moreFinished
  ).text

/** The shortest text about finished tasks. For few tasks, whole summaries can be shorter than names. */
export const leastResults = (results: ReadonlyArray<TaskResult>): string => {
  if (results.length === 0) return ""
  const forms = [resultBlocks(results, Number.POSITIVE_INFINITY), resultBlocks(results, 0), namesWithin(results, 0)]
  return forms.reduce((shortest, form) => (form.length < shortest.length ? form : shortest))
}

/** The results of finished tasks in the most detailed form that fits, from whole summaries to a few names. */
export const fittedResults = (
  results: ReadonlyArray<TaskResult>,
  frame: Frame,
  { expected = false }: { readonly expected?: boolean } = {}
): string => {
  for (const form of expected ? [{ expected: true }, {}] : [{}]) {
    const whole = resultBlocks(results, Number.POSITIVE_INFINITY, form)
    if (frame.fits(whole)) return whole
    const shortest = resultBlocks(results, 0, form)
    if (frame.fits(shortest)) return resultBlocks(results, frame.budget(shortest), form)
  }
  return results.length === 0 ? "" : namesWithin(results, frame.budget(namesWithin(results, 0)))
}

/** A heading with the issues and their corrections. Empty without issues. */
export const issuesBlock = (heading: string, issues: ReadonlyArray<Issue> = []): string =>
  issues.length === 0
    ? ""
    : rawBlock(heading, `${issuesMarkdown(issues)}\n\nFix all of them and write the whole answer again.`)
