/**
 * The self-review: a question about a case that a change does not treat, with places that use what it touches.
 */
import {
  changedNames,
  countChangedLines,
  isReplacement,
  isSourceFile,
  linesWithName,
  type NamedText
} from "../files/ChangedNames.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { isTestFile } from "../files/TestFile.ts"
import { nowBlock, rawBlock } from "../markdown/PromptBlock.ts"
import { cutAt } from "../text/Excerpt.ts"

/** A change of no more lines of source code needs no self-review. */
const trivialLines = 3

const mostPlaces = 5
const mostOfFile = 2
const mostNames = 8
const placeLength = 120

export const isReviewedSource = (path: string): boolean => isSourceFile(path) && !isTestFile(path)

/** The changed files of source code that are worth a review; none for a trivial change or a rename. */
export const reviewedFiles = (changed: ReadonlyArray<ProposedFile>): ReadonlyArray<ProposedFile> => {
  const sources = changed.filter(({ path }) => isReviewedSource(path))
  const lines = sources.reduce((sum, file) => sum + countChangedLines(file), 0)
  return lines <= trivialLines || isReplacement(changed) ? [] : sources
}

/** The names that changes touch. */
export const reviewedNames = (changed: ReadonlyArray<ProposedFile>): ReadonlyArray<string> =>
  changed.flatMap(changedNames).slice(0, mostNames)

/** Lines that use these names, but for imports. */
export const usesOf = (texts: ReadonlyArray<NamedText>, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts
    .flatMap((file) =>
      linesWithName(file, names)
        .filter(({ text }) => !/^(?:(?:import|from|use|using)\b|export [*{])/.test(text))
        .slice(0, mostOfFile)
        .map(({ line, text }) => `- ${file.path}:${line}: ${cutAt(text, placeLength)}`)
    )
    .slice(0, mostPlaces)

/** The question. `places` are lines `path:line: text`. */
export const selfReviewText = (places: ReadonlyArray<string>): string => {
  const uses = places.length === 0 ? "" : `\n\nLines that use what you changed:\n\n${places.join("\n")}`
  const look = `Your report is kept, and the checks pass. They do not show what nobody tests. Look once more:

1. Find one line that you were shown and that treats the input differently from your change: a replace, a pattern, another branch, another file that uses it.
2. Send a change that adds a test of exactly that to the tests of the project. The program runs it; repair what fails.${uses}`
  const now =
    "Answer with `Line: <path>:<line>` and the change that adds the test. If there is no such line, answer only: No such line."
  return `${rawBlock("## Look back", look)}${nowBlock(now)}`.trimEnd()
}
