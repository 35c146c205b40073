/**
 * What the embedded model says in a conversation: it looks for the words of the message, reads around the best line that
 * it finds, and quotes what the tools gave. Each message is taken by itself.
 */
import { type Call, readOutput } from "./ExecutionAnswer.ts"
import { disclosure } from "./ConclusionAnswer.ts"
import { type FilledCall, fillCalls, kindOf, type Material } from "./CallFilling.ts"
import { type FoundLine, foundList, rankLines, readMatches, relevance } from "./FoundLines.ts"
import type { OfferedTool } from "./PromptText.ts"
import { commandWishIn, fileWishIn, researchClues } from "./Wish.ts"

/** What was said since the last message of the person; `output` is the data of a result, or `ERROR ...`. */
export interface AskView {
  readonly text: string
  readonly tools: ReadonlyArray<OfferedTool>
  readonly outcomes: ReadonlyArray<{ readonly call: Call; readonly output: string }>
}

/** An answer, or the calls that come before it. */
export interface AskSaying {
  readonly text: string
  readonly calls: ReadonlyArray<FilledCall>
}

const materialOf = (text: string): Material => {
  const wish = fileWishIn(text)
  const clues = researchClues(text, wish)
  const { content, path } = wish ?? {}
  return {
    text,
    // Quoted words were chosen by whoever asks; the rest of the sentence is only around them.
    clues: clues.quoted.length === 0 ? clues : { ...clues, terms: clues.quoted },
    paths: clues.paths,
    ...(path === undefined || content === undefined ? {} : { file: { path, content } })
  }
}

const nearness = ({ path, text }: FoundLine, terms: ReadonlyArray<string>): number =>
  relevance(text, terms) + relevance(path, terms)

/** Reads around the best line of a search, once. */
const readBest = ({ outcomes, text, tools }: AskView): ReadonlyArray<FilledCall> => {
  const material = materialOf(text)
  const { terms } = material.clues
  const lines = outcomes.flatMap(({ output }) => readMatches(output))
  // A file that is named after the words is nearer to them than one that only holds them.
  const [best] = rankLines(lines, terms).toSorted((a, b) => nearness(b, terms) - nearness(a, terms))
  const readers = tools.filter((tool) => kindOf(tool) === "read")
  const hasRead = outcomes.some(({ call }) => readers.some(({ name }) => name === call.name))
  return best === undefined || hasRead ? [] : fillCalls(readers, { ...material, paths: [best] }).slice(0, 1)
}

/**
 * A command is only for a message that orders one: any quoted word would fill it. What a tool with other parameters does is
 * not understood, so it is left alone.
 */
const isFit = (tool: OfferedTool, text: string): boolean => {
  const kind = kindOf(tool)
  return kind === "command" ? commandWishIn(text) !== undefined : kind !== "other"
}

const firstCalls = ({ text, tools }: AskView): ReadonlyArray<FilledCall> =>
  fillCalls(
    tools.filter((tool) => isFit(tool, text)),
    materialOf(text)
  )

const answerTo = ({ outcomes, text }: AskView): string => {
  const { terms } = materialOf(text).clues
  const yields = outcomes.map(({ call, output }) => readOutput(call, output, terms))
  const lines = rankLines(
    yields.flatMap((one) => one.lines),
    terms
  )
  const notes = [...new Set(yields.flatMap((one) => one.notes))]
  const parts = [foundList(lines), ...notes].filter((part) => part !== "")
  return [...(parts.length === 0 ? ["Nothing was found."] : parts), disclosure].join("\n\n")
}

/** The next thing to say: the same every time. */
export const askAnswer = (view: AskView): AskSaying => {
  const calls = view.outcomes.length === 0 ? firstCalls(view) : readBest(view)
  return calls.length > 0 ? { text: "", calls } : { text: answerTo(view), calls: [] }
}
