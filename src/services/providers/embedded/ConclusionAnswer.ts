/**
 * The embedded model's answer to the conclusion prompt: the lines that the tasks found, what they could not find, what
 * failed, and the plain word that no language model wrote it.
 */
import { compareCodePoints } from "../../../domain/text/CodePointOrder.ts"
import { outline } from "../../../domain/markdown/Outline.ts"
import { resultAnchor } from "../../../domain/plan/TaskName.ts"
import { readClues } from "./Clues.ts"
import { foundList, rankLines, readFoundList } from "./FoundLines.ts"
import { blocksIn, blockText, userPromptIn } from "./PromptText.ts"

/** The last words of every answer to a person. */
export const disclosure =
  "*The embedded stand-in wrote this. It is not a language model: it quotes what the tools found and concludes nothing. Choose a model with `--model` for an answer that does.*"

/** What a result says beside the lines it lists: points without a line, fenced outputs. */
const notesIn = (text: string): string =>
  text
    .replace(/^Found \d+ lines? in \d+ files?.*:$/gm, "")
    .replace(/^- \[.*?\]\(<?[^\n]+?#L\d+>?\) `.*$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim()

/** Answers the conclusion prompt in markdown. */
export const conclusionAnswer = (user: string): string => {
  const blocks = blocksIn(user)
  const { terms } = readClues(userPromptIn(blocks))
  const completed = blockText(blocks, "Outputs from completed tasks")
  // Tasks finish in any order; the answer does not depend on it.
  const tasks = outline(completed)
    .filter((section) => section.level === 3)
    .sort((a, b) => compareCodePoints(a.title, b.title))
  const lines = rankLines(readFoundList(completed), terms)
  const notes = [...new Set(tasks.map((task) => notesIn(task.body)))].filter((note) => note !== "")
  const failed = blockText(blocks, "Tasks that failed")
  const links = tasks.map((task) => `[${task.title}](#${resultAnchor(task.title)})`)
  return [
    tasks.length === 0 ? "No task finished, so there is no answer." : foundList(lines),
    ...notes,
    links.length === 0 ? "" : `This rests on ${links.join(", ")}.`,
    failed === "" ? "" : `These tasks failed, and what they were to find is missing:\n\n${failed}`,
    disclosure
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}
