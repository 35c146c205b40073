/**
 * What a text asks for: what it gives to look for, a file to be written and a command to be run. Only a clear order
 * counts; a question about writing is a question.
 */
import { fencedBlocks } from "../../../domain/markdown/Outline.ts"
import { type Clues, type PathClue, quotedIn, readClues } from "./Clues.ts"

export interface Request extends Clues {
  readonly text: string
  readonly command: string | undefined
  /** A file to write; without `content` it is made from what is found. */
  readonly file: (PathClue & { readonly content?: string | undefined }) | undefined
}

/** What follows a verb at the beginning of a sentence or after "and", "then", "please". */
const order = (verbs: string): RegExp =>
  new RegExp(String.raw`(?:^|[.!?;:,\n]\s*|\b(?:and|then|please|(?:can|could|would) you)\s+)(?:${verbs})\b(.*)$`, "is")
const writeOrder = order("write|create|save|store|generate|put|add")
const runOrder = order("run|execute")

const target = /\b(?:to|into|in|as|called|named|file)\s+["'`]?$/i
const content = /\b(?:with|containing|contains?|contents?|text|says|saying|lines?|words?)\b/i

const fileIn = (text: string): Request["file"] => {
  const [ordered = ""] = writeOrder.exec(text)?.[1]?.split(/^\s*(?:```|~~~)/m) ?? []
  const paths = readClues(ordered).paths.map((one) => one.path)
  const named = paths.findLast((one) => target.test(ordered.slice(0, ordered.indexOf(one))))
  const path = named ?? (paths.length === 1 ? paths[0] : undefined)
  if (path === undefined) return undefined
  const quoted = content.test(ordered) ? quotedIn(ordered.replaceAll(path, " ")).at(-1) : undefined
  return { path, content: fencedBlocks(text)[0]?.text ?? quoted }
}

/** Files that are to be written or that the command names are not looked for; the command stands in quotes. */
export const readRequest = (text: string): Request => {
  const clues = readClues(text)
  const file = fileIn(text)
  const command = quotedIn(runOrder.exec(text)?.[1] ?? "")[0]
  const taken = new Set([file?.path, ...(command?.split(/\s+/) ?? [])])
  return { ...clues, paths: clues.paths.filter(({ path }) => !taken.has(path)), text, command, file }
}
