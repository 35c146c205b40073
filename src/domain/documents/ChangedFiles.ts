/**
 * Shows the changes of files to a model, as one diff for each file. If a diff does not fit, one line names the changed
 * lines and functions of the file.
 */
import { changedDeclarations } from "../files/CodeRelations.ts"
import { changePreview } from "../files/ChangePreview.ts"
import { diffSummary } from "../files/DiffSummary.ts"
import { changesFile, isOpaque, type ProposedFile } from "../files/ProposedFile.ts"
import { fenced, rawBlock } from "../markdown/PromptBlock.ts"
import { listWithin, shares } from "../text/Excerpt.ts"

/** The maximum number of lines of a diff. If the budget is small, even a shorter diff may be left out. */
const mostLines = 2000

/** With more changed files than this, all files share one heading. */
const mostHeadings = 3

/** The maximum number of functions and types that a summary names. */
const mostNames = 8

export const fileDiff = (file: ProposedFile): string => {
  const { base, from, path, text } = file
  if (text === null) return `(${path} is removed)`
  return isOpaque(file)
    ? `(${path} has the ${from?.size ?? 0} bytes of the file that was moved there)`
    : changePreview(path, base ?? undefined, text, mostLines)
}

const summaryOf = (file: ProposedFile, diff = fileDiff(file)): string => {
  const declared = file.text === null || isOpaque(file) ? [] : changedDeclarations(file)
  const names = [...new Set(declared.map(({ name }) => name))]
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ""
  const named = names.length === 0 ? "" : `; in ${names.slice(0, mostNames).join(", ")}${more}`
  return `${(diffSummary(diff) ?? [diff]).join("; ")}${named}`
}

/**
 * For each file, its summary (`summary`) and its diff (`shown`). A diff over its share of the budget is left out,
 * because a part of it would mislead.
 */
const fitted = (files: ReadonlyArray<ProposedFile>, budget: number) => {
  const diffs = files.map((file) => ({ file, diff: fileDiff(file) })).filter(({ diff }) => diff !== "")
  const limits = shares(
    diffs.map(({ diff }) => diff.length),
    budget
  )
  return diffs.map(({ diff, file }, index) => ({
    shown: diff.length <= (limits[index] ?? 0) ? diff : undefined,
    summary: summaryOf(file, diff)
  }))
}

const summaries = (files: ReturnType<typeof fitted>, budget: number): string => {
  const lines = files.flatMap(({ shown, summary }) => (shown === undefined ? [`- ${summary}`] : []))
  return listWithin(lines, Math.max(200, budget), (count) => `- ${count} more files`).text
}

/** One fence with the diffs that fit, followed by a summary line for each other file. */
const joined = (files: ReadonlyArray<ProposedFile>, budget: number): string => {
  const all = fitted(files, budget)
  const diffs = all.flatMap(({ shown }) => shown ?? []).join("\n")
  const isCut = all.some(({ shown }) => shown === undefined)
  const rest = isCut ? [`The prompt has no room for the diffs of these files:\n\n${summaries(all, budget / 2)}`] : []
  return [...(diffs === "" ? [] : [fenced(diffs, "diff")]), ...rest].join("\n\n")
}

const titleOf = (files: ReadonlyArray<ProposedFile>): string =>
  files.length > mostHeadings ? `${files.length} files` : files.map(({ path }) => path).join(", ")

/** True if all added lines of a diff are among `written`, the lines that the model has just written. */
const isAsWritten = (diff: string, written: ReadonlySet<string>): boolean => {
  const added = diff.split("\n").filter((line) => line.startsWith("+") && !line.startsWith("+++ "))
  return diffSummary(diff) !== undefined && added.every((line) => written.has(line.slice(1)))
}

/**
 * The changes of an answer. A file whose new lines are among `written`, the lines of the answer, gets a summary. The
 * others get diffs in at most `budget` characters.
 */
export const changedBlocks = (
  files: ReadonlyArray<ProposedFile>,
  budget: number,
  written: ReadonlySet<string> = new Set()
): string => {
  const diffs = new Map(files.map((file) => [file, fileDiff(file)]))
  const asWritten = files.filter((file) => isAsWritten(diffs.get(file) ?? "", written))
  const others = files.filter((file) => !asWritten.includes(file))
  const lines = asWritten.map((file) => `- ${summaryOf(file, diffs.get(file))}`)
  const summary =
    asWritten.length === 0 ? "" : `### Changed: ${titleOf(asWritten)}\n\nAs you wrote it:\n\n${lines.join("\n")}\n\n`
  if (others.length > mostHeadings) {
    return `${summary}### Changed: ${titleOf(others)}\n\n${joined(others, budget - summary.length)}\n\n`
  }
  const limits = shares(
    others.map((file) => diffs.get(file)?.length ?? 0),
    budget - summary.length
  )
  const blocks = others.map((file, index) => `### Changed: ${file.path}\n\n${joined([file], limits[index] ?? 0)}\n\n`)
  return summary + blocks.join("")
}

/** All changes so far, under one heading. A file in `summarized` gets only a summary line. */
export const changesSoFar = (
  files: ReadonlyArray<ProposedFile>,
  budget: number,
  summarized: ReadonlySet<ProposedFile>
): string => {
  const lines = files.flatMap((file) => (summarized.has(file) ? [`- ${summaryOf(file)}`] : []))
  const diffs = joined(
    files.filter((file) => !summarized.has(file)),
    budget
  )
  return rawBlock("## Changes so far", [lines.join("\n"), diffs].filter((part) => part !== "").join("\n\n"))
}

/** The changes between two states of a working copy. The `base` of each change is the earlier text. */
export const changedSince = (
  now: ReadonlyArray<ProposedFile>,
  before: ReadonlyArray<ProposedFile>
): ReadonlyArray<ProposedFile> => {
  const filesBefore = new Map(before.map((file) => [file.path, file]))
  const left = new Set(now.map(({ path }) => path))
  const back = before.flatMap(({ base, path, text }) =>
    left.has(path) || base === text ? [] : [{ path, base: text, text: base }]
  )
  const changed = now.flatMap((file): ReadonlyArray<ProposedFile> => {
    const was = filesBefore.get(file.path)
    if (was === undefined) return changesFile(file) ? [file] : []
    const isSame = was.text === file.text && was.from?.state === file.from?.state
    return isSame ? [] : [{ ...file, base: was.text }]
  })
  return [...changed, ...back]
}
