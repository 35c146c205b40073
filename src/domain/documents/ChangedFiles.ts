/**
 * The changes of files as a model is shown them: a diff for each file with the names of functions in its hunks, and a line for a
 * file whose diff has no room.
 */
import { changedDeclarations } from "../files/CodeRelations.ts"
import { changePreview } from "../files/ChangePreview.ts"
import { diffSummary } from "../files/DiffSummary.ts"
import { changesFile, isOpaque, type ProposedFile } from "../files/ProposedFile.ts"
import { fenced, rawBlock } from "../markdown/PromptBlock.ts"
import { cutDiff } from "../models/OutputCut.ts"
import { listWithin, shares } from "../text/Excerpt.ts"

/** The diff of one file has at most so many lines. */
const mostLines = 200

/** So many files have a heading each. */
const mostHeadings = 3

/** So many functions and types of a file are named. */
const mostNames = 8

/** A diff that is cut has at least so many characters; with less room a line stands for it. */
const leastCut = 250

export const fileDiff = (file: ProposedFile): string => {
  const { base, from, path, text } = file
  if (text === null) return `(${path} is removed)`
  return isOpaque(file)
    ? `(${path} has the ${from?.size ?? 0} bytes of the file that was moved there)`
    : changePreview(path, base ?? undefined, text, mostLines)
}

/** Which lines of a file its diff changes, and which functions and types. */
const summaryOf = (file: ProposedFile, diff = fileDiff(file)): string => {
  const declared = file.text === null || isOpaque(file) ? [] : changedDeclarations(file)
  const names = [...new Set(declared.map(({ name }) => name))]
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ""
  const named = names.length === 0 ? "" : `; in ${names.slice(0, mostNames).join(", ")}${more}`
  return `${(diffSummary(diff) ?? [diff]).join("; ")}${named}`
}

/** A diff with what is shown of it in its share of the room; without one, only `summary` stands for the file. */
const fitted = (files: ReadonlyArray<ProposedFile>, budget: number) => {
  const diffs = files.map((file) => ({ file, diff: fileDiff(file) })).filter(({ diff }) => diff !== "")
  const limits = shares(
    diffs.map(({ diff }) => diff.length),
    budget
  )
  return diffs.map(({ diff, file }, index) => {
    const limit = limits[index] ?? 0
    const summary = summaryOf(file, diff)
    const shown = diff.length <= limit ? diff : limit < leastCut ? undefined : cutDiff(diff, [summary], limit)
    return { shown, summary }
  })
}

const summaries = (files: ReturnType<typeof fitted>, budget: number): string => {
  const lines = files.flatMap(({ shown, summary }) => (shown === undefined ? [`- ${summary}`] : []))
  return listWithin(lines, Math.max(200, budget), (count) => `- ${count} more files`).text
}

/** The diffs that have room in one fence, and a line for each other file. */
const joined = (files: ReadonlyArray<ProposedFile>, budget: number): string => {
  const all = fitted(files, budget)
  const diffs = all.flatMap(({ shown }) => shown ?? []).join("\n")
  const isCut = all.some(({ shown }) => shown === undefined)
  const rest = isCut ? [`The prompt has no room for the diffs of these files:\n\n${summaries(all, budget / 2)}`] : []
  return [...(diffs === "" ? [] : [fenced(diffs, "diff")]), ...rest].join("\n\n")
}

/** A heading with its diff for each file, or one for many files. */
export const changedBlocks = (files: ReadonlyArray<ProposedFile>, budget: number): string => {
  if (files.length > mostHeadings) return `### Changed: ${files.length} files\n\n${joined(files, budget)}\n\n`
  const limits = shares(
    files.map((file) => fileDiff(file).length),
    budget
  )
  return files.map((file, index) => `### Changed: ${file.path}\n\n${joined([file], limits[index] ?? 0)}\n\n`).join("")
}

/** The changes of all files so far, under one heading; a line for each of those in `shown`, of which the new text is shown whole. */
export const changesSoFar = (
  files: ReadonlyArray<ProposedFile>,
  budget: number,
  shown: ReadonlySet<ProposedFile> = new Set()
): string => {
  const lines = files.flatMap((file) => (shown.has(file) ? [`- ${summaryOf(file)}`] : []))
  const others = joined(
    files.filter((file) => !shown.has(file)),
    budget
  )
  return rawBlock("## Changes so far", [lines.join("\n"), others].filter((part) => part !== "").join("\n\n"))
}

/** What changed between two states of a working copy, from the texts before to those now. */
export const changedSince = (
  now: ReadonlyArray<ProposedFile>,
  before: ReadonlyArray<ProposedFile>
): ReadonlyArray<ProposedFile> => {
  const known = new Map(before.map((file) => [file.path, file]))
  const left = new Set(now.map(({ path }) => path))
  const back = before.flatMap(({ base, path, text }) =>
    left.has(path) || base === text ? [] : [{ path, base: text, text: base }]
  )
  const changed = now.flatMap((file): ReadonlyArray<ProposedFile> => {
    const was = known.get(file.path)
    if (was === undefined) return changesFile(file) ? [file] : []
    const isSame = was.text === file.text && was.from?.state === file.from?.state
    return isSame ? [] : [{ ...file, base: was.text }]
  })
  return [...changed, ...back]
}
