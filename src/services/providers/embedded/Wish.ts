/**
 * What a request asks for beyond an answer: a file to be written or a command to be run. Only a clear order counts; a
 * question about writing is a question.
 */
import { fencedBlocks } from "../../../domain/markdown/Outline.ts"
import { type Clues, readClues } from "./Clues.ts"

/** A file to write; without `content` it is made from what is found. */
export interface FileWish {
  readonly path: string
  readonly content?: string
}

/** An order at the beginning of a sentence or after "and", "then", "please". */
const writeOrder =
  /(?:^|[.!?;:,\n]\s*|\b(?:and|then|please|(?:can|could|would) you)\s+)(?:write|create|save|store|generate|put|add)\b(.*)$/is

const runOrder = /(?:^|[.!?;:,\n]\s*|\b(?:and|then|please|(?:can|could|would) you)\s+)run\b(.*)$/is

/** The path after "to", "into", "in", "as", "called", else the only one. */
const targetIn = (order: string): string | undefined => {
  const paths = readClues(order).paths.map(({ path }) => path)
  const named = paths.findLast((path) => {
    const before = order.slice(0, order.indexOf(path))
    return /\b(?:to|into|in|as|called|named|file)\s+(?:(?:a|the)\s+)?(?:(?:new\s+)?file\s+)?(?:(?:called|named)\s+)?["'`]?$/i.test(
      before
    )
  })
  return named ?? (paths.length === 1 ? paths[0] : undefined)
}

const contentIn = (prompt: string, order: string, path: string): string | undefined =>
  fencedBlocks(prompt)[0]?.text ??
  (/\b(?:with|containing|contains?|content|contents|text|says|saying|line|lines|word|words)\b/i.test(order)
    ? readClues(order.replaceAll(path, " ")).quoted.at(-1)
    : undefined)

/** The file that a request orders to be written. */
export const fileWishIn = (prompt: string): FileWish | undefined => {
  const order = writeOrder.exec(prompt)?.[1]
  const path = order === undefined ? undefined : targetIn(order)
  if (order === undefined || path === undefined) return undefined
  const content = contentIn(prompt, order, path)
  return { path, ...(content === undefined ? {} : { content: content.endsWith("\n") ? content : `${content}\n` }) }
}

const quoted = /`([^`\n]+)`|"([^"\n]+)"|'([^'\n]+)'/

/** The command in a text: the first words in quotes or backticks, also when they name files. */
export const commandIn = (text: string): string | undefined => {
  const [, ...found] = quoted.exec(text) ?? []
  return found.find((one) => one !== undefined)?.trim()
}

/** The command that a request orders to be run: it must stand in quotes or backticks. */
export const commandWishIn = (prompt: string): string | undefined => commandIn(runOrder.exec(prompt)?.[1] ?? "")

/** The clues of a request without the file that is to be written and without those that its command names. */
export const researchClues = (prompt: string, wish: FileWish | undefined): Clues => {
  const clues = readClues(prompt)
  const words = commandWishIn(prompt)?.split(/\s+/) ?? []
  return { ...clues, paths: clues.paths.filter(({ path }) => path !== wish?.path && !words.includes(path)) }
}
