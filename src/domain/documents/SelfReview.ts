/**
 * After a report, asks the model for a case that its change may have missed, and shows related places in the code.
 * Without related places, it asks nothing.
 */
import { countChangedLines, isReplacement, isSourceFile, type NamedText } from "../files/ChangedNames.ts"
import { otherBranches, type RelatedLine, touchedDeclarations, usersOf } from "../files/CodeRelations.ts"
import { foldersOf, isBelow } from "../files/PathList.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { isTestFile } from "../files/TestFile.ts"
import { nowBlock, rawBlock } from "../markdown/PromptBlock.ts"
import { cutAt } from "../text/Excerpt.ts"

/** A change of at most this many lines of source code needs no self-review. */
const trivialLines = 3

const mostPlaces = 5
const mostOfFile = 2
const mostBranches = 2
const mostNames = 8
const placeLength = 120

export const isReviewedSource = (path: string): boolean => isSourceFile(path) && !isTestFile(path)

/** The changed source files that the model reviews. None if the change is trivial or only a rename. */
export const reviewedFiles = (changed: ReadonlyArray<ProposedFile>): ReadonlyArray<ProposedFile> => {
  const sources = changed.filter(({ path }) => isReviewedSource(path))
  const lines = sources.reduce((sum, file) => sum + countChangedLines(file), 0)
  return lines <= trivialLines || isReplacement(changed) ? [] : sources
}

/** Sorts files by the deepest folder that they share with a changed file, the deepest first. */
export const nearestFiles = (changed: ReadonlyArray<string>, files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const around = foldersOf(changed)
  const depthOf = (path: string): number =>
    Math.max(0, ...around.filter((folder) => isBelow(folder, path)).map(({ length }) => length))
  const near = files.map((path) => ({ path, depth: depthOf(path) })).toSorted((a, b) => b.depth - a.depth)
  return near.map(({ path }) => path)
}

/** The declarations that the changes touch. The program searches the project for their uses. */
export const reviewedDeclarations = (changed: ReadonlyArray<ProposedFile>) =>
  changed.flatMap(touchedDeclarations).slice(0, mostNames)

const placeText = ({ line, path, relation, text }: RelatedLine): string =>
  `- ${path}:${line}: ${cutAt(text, placeLength)} (${relation})`

/**
 * Lines that use changed declarations, and branches near the changes. `others` are the unchanged files of the project.
 */
export const relatedPlaces = (
  changed: ReadonlyArray<ProposedFile>,
  others: ReadonlyArray<NamedText>
): ReadonlyArray<string> => {
  const branches = changed.flatMap(otherBranches).slice(0, mostBranches)
  const users = usersOf(changed, reviewedDeclarations(changed), others)
  const ofEach = [...Map.groupBy(users, ({ path }) => path).values()].flatMap((uses) => uses.slice(0, mostOfFile))
  const places = [...ofEach.slice(0, mostPlaces - branches.length), ...branches]
  return [...new Map(places.map((place) => [`${place.path}:${place.line}`, placeText(place)])).values()]
}

/** The question to the model. A place is a line `path:line: text (relation)`. */
export const selfReviewText = (places: ReadonlyArray<string>): string => {
  const look = `Your report is kept, and the checks pass. They do not show what nobody tests. Look once more:

1. Find one line that you were shown through which an input comes to your change in another way than in your tests, or passes it by: another caller, another branch, a copy of the old code.
2. Send a change that adds a test of exactly that to the tests of the project. The program runs it; repair what fails.

Lines that belong to what you changed:

${places.join("\n")}`
  const now =
    "Answer with `Line: <path>:<line>` and the change that adds the test. If there is no such line, answer only: No such line."
  return `${rawBlock("## Look back", look)}${nowBlock(now)}`.trimEnd()
}
