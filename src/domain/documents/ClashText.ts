/** Tells a model where its changes clash with later changes of other tasks or users. */
import type { Clash, MergedText } from "../files/TextMerge.ts"
import { fenced } from "../markdown/PromptBlock.ts"
import { shorten } from "../text/Excerpt.ts"

/** A file in which changes clash. `merged` is undefined if the task or somebody else removed the file. */
export interface FileClash {
  readonly path: string
  readonly merged?: MergedText
  /** True for a file that the task removed and somebody else changed. */
  readonly isChanged?: boolean
}

/** How many lines before and after a clash are shown. */
const linesAround = 3

/** How many clashes of a file are shown, and how many characters of each text. */
const mostPlaces = 4
const mostText = 1200

const block = (text: string): string => (text === "" ? "(nothing)" : fenced(shorten(text, mostText), "text"))

const placeText = (path: string, text: string, { base, line, mine, theirs }: Clash): string => {
  const lines = text.split("\n")
  const last = line - 1 + theirs.split("\n").length - (theirs.endsWith("\n") ? 1 : 0)
  const now = lines.slice(Math.max(0, line - 1 - linesAround), last + linesAround).join("\n")
  return `### ${path}, line ${line}, as it is now\n\n${block(now)}\n\nYou had changed\n\n${block(base)}\n\nto\n\n${block(mine)}`
}

const fileText = ({ isChanged = false, merged, path }: FileClash): string => {
  if (isChanged) return `### ${path}, which you removed, was changed.`
  if (merged === undefined) return `### ${path} was removed.`
  const more = merged.clashes.length - mostPlaces
  return [
    ...merged.clashes.slice(0, mostPlaces).map((clash) => placeText(path, merged.text, clash)),
    ...(more > 0 ? [`${more} more places of ${path} are not shown.`] : [])
  ].join("\n\n")
}

/** All clashes with advice to the model. Empty if there are none. */
export const clashText = (files: ReadonlyArray<FileClash>): string => {
  const names = files.map(({ path }) => path).join(", ")
  return files.length === 0
    ? ""
    : `Since you began, others changed the same lines of ${names}. You see their change now, and yours is left out there:\n\n${files.map(fileText).join("\n\n")}\n\nMake your change again on the current text. When nothing is left to do, say so in the report.`
}
