/**
 * How much of a small context window the project description may take. It stands in every prompt; references, outputs and
 * the answer need the rest. Briefer shortens it once per run.
 */
import { cutAtParagraph } from "../text/Excerpt.ts"
import { charactersIn } from "./TokenEstimate.ts"

/** The description of a project as prompts hold it, and what the person is told when something is left out. */
export interface ShortenedDescription {
  readonly text: string
  readonly note?: string
}

const noteOf = (left: number): string =>
  `(The project description ends here: ${left} more characters would take too much of the context window.)`

/** Cuts a description that takes more than a quarter of the window (tokens) at the end of a paragraph, and says so in it. */
export const shortenDescription = (description: string, window: number): ShortenedDescription => {
  const room = charactersIn(window / 4)
  if (description.length <= room) return { text: description }
  const { left, text } = cutAtParagraph(description, Math.max(1, room - noteOf(description.length).length - 2))
  return {
    text: `${text}\n\n${noteOf(left)}`,
    note: `The project description has ${description.length} characters, more than a quarter of the context window (${window} tokens). The prompts hold its first ${text.length}. Shorten AGENTS.md or README.md, or raise contextWindow.`
  }
}
