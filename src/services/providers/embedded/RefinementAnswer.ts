/**
 * The embedded model's answer to the refinement prompt: the task as it was given, the inputs and the calls that its words can fill.
 */
import { fenced } from "../../../domain/markdown/PromptBlock.ts"
import { type FilledCall, fillCalls, type Material } from "./CallFilling.ts"
import { type PathClue, readClues } from "./Clues.ts"
import { readFoundList } from "./FoundLines.ts"
import { inputsMarkdown } from "./InputFilling.ts"
import { blocksIn, type PromptBlock, taskIn, type TaskText, toolsIn } from "./PromptText.ts"
import { fileWishIn } from "./Wish.ts"

/** The files that results point to, each with the first line they name. */
const referredPaths = (references: ReadonlyArray<PromptBlock>): ReadonlyArray<PathClue> => {
  const found = references.flatMap((reference) => readFoundList(reference.text))
  return found.filter((line, index) => found.findIndex((other) => other.path === line.path) === index)
}

/** The text of results as the text of a file: their headings say nothing outside of the run. */
const asFile = (references: ReadonlyArray<PromptBlock>): string | undefined => {
  const text = references
    .map((reference) => reference.text.replace(/^#{1,6} Result summary$/m, "").trim())
    .filter((part) => part !== "")
    .join("\n\n")
  return text === "" ? undefined : `${text}\n`
}

const fileFor = (task: TaskText, needed: string, references: ReadonlyArray<PromptBlock>): Material["file"] => {
  const wish = fileWishIn(needed)
  const block = task.codeBlocks[0]?.text
  const content = block === undefined ? (wish?.content ?? asFile(references)) : `${block}\n`
  return wish === undefined || content === undefined ? undefined : { path: wish.path, content }
}

const callMarkdown = (call: FilledCall, index: number): string =>
  fenced(JSON.stringify({ uid: `call-${index + 1}`, name: call.name, arguments: call.arguments }, null, 2), "json")

/** Answers the refinement prompt with the task and its calls. */
export const refinementAnswer = (system: string, user: string): string => {
  const blocks = blocksIn(user)
  const references = blocks.filter((block) => block.kind === "reference")
  const task = taskIn(blocks)
  const needed = task.field("What is needed")
  const clues = readClues(needed)
  const file = fileFor(task, needed, references)
  const paths = clues.paths.length > 0 ? clues.paths : referredPaths(references)
  const inputs = inputsMarkdown(system, { text: needed, clues, paths })
  const calls = fillCalls(toolsIn(system), {
    text: needed,
    // Quoted words were chosen by whoever wrote the task; the rest of the sentence is only around them.
    clues: clues.quoted.length === 0 ? clues : { ...clues, terms: clues.quoted },
    paths,
    ...(file === undefined ? {} : { file })
  })
  return [
    `## Task\n\n${task.markdown}`,
    ...(inputs === "" ? [] : [`## Inputs\n\n${inputs}`]),
    "## Tool Calls",
    ...calls.map(callMarkdown)
  ].join("\n\n")
}
