/**
 * Models that do not do the work of the noisy runs: one says that it has made changes and sends none, one never comes to an end.
 * One that lies about checks has runs of its own (test/support/LyingWork.ts).
 */
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { refinementWith, resultSaying } from "../support/TestRun.ts"
import { plannedFor, rightAnswer } from "./KnowingModel.ts"
import { type Goal, goalsIn, requestIn, stageOf, taskIn } from "./PromptView.ts"

/** What a model answers; `seed` chooses how, and `asked` counts its answers. */
export type BadModel = (prompt: FilledPrompt, seed: number, asked: number) => string

const claims: ReadonlyArray<(goal: Goal) => string> = [
  ({ name, path, value }) => `\`${name}\` is now ${value} in [${path}](${path}). Nothing is left of the task.`,
  ({ path }) => `I have fixed the file [${path}](${path}), and all tests pass.`,
  ({ name, path, value }) => `I changed ${path} to:\n\n\`\`\`ts\n  ${name}: ${value},\n\`\`\``,
  ({ path }) => `### Changed: ${path}\n\nThe edit was applied.`
]

const read = (path: string, start: number): string =>
  refinementWith([{ name: "read_file", arguments: { path, start_line: start, end_line: start + 5 } }])

/** Says that it has changed a file; half of the times it looks before that. */
const claiming: BadModel = (prompt, seed) => {
  const [goal] = goalsIn(taskIn(prompt).needed)
  const isTask = stageOf(prompt) === "refinement" || stageOf(prompt) === "execution"
  if (isTask && goal?.value !== undefined) {
    if (seed % 2 === 0 && stageOf(prompt) === "refinement") return read(goal.path, 1)
    return resultSaying((claims[(seed >> 1) % claims.length] ?? claims[0])?.(goal) ?? "")
  }
  if (stageOf(prompt) === "iteration") return plannedFor("")
  return stageOf(prompt) === "conclusion" ? "All values are set, as you asked." : rightAnswer(prompt)
}

/** Reads or searches on and on, or changes a line to and fro. */
const endless: BadModel = (prompt, seed, asked) => {
  const [goal] = goalsIn(taskIn(prompt).needed)
  const isTask = stageOf(prompt) === "refinement" || stageOf(prompt) === "execution"
  if (!isTask) return stageOf(prompt) === "iteration" ? plannedFor(requestIn(prompt)) : rightAnswer(prompt)
  const path = goal?.path ?? "src/alpha.ts"
  switch (seed % 3) {
    case 0:
      return read(path, 1 + asked * 6)
    case 1:
      return refinementWith([{ name: "search_files", arguments: { pattern: `Entry${asked}\\b`, path } }])
    default: {
      const [from, to] = asked % 2 === 0 ? ["Entry 1 of", "Entry one of"] : ["Entry one of", "Entry 1 of"]
      return refinementWith([{ name: "edit_file", arguments: { path, old_text: from, new_text: to } }])
    }
  }
}

export const badModels: Readonly<Record<string, BadModel>> = { claiming, endless }
