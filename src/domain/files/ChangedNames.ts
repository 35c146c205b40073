/**
 * Finds the definitions and lines that changes remove. It works line by line with simple patterns, and misses unusual
 * definitions.
 */
import { declarationsOf, declaredName, isProgram, sourceLines, wordPattern } from "./Declarations.ts"
import { numberedRows, wholeChange } from "./ChangePreview.ts"
import { languageOf } from "./Language.ts"
import type { ProposedFile } from "./ProposedFile.ts"

/** Names that are too common: in most files they mean something else. */
const common: ReadonlySet<string> = new Set(
  "config create data default delete handler index init item items main module name options props render result setup state test type update value".split(
    " "
  )
)
export const isTelling = (name: string): boolean => name.length > 3 && !common.has(name.toLowerCase())

const definedNames = (path: string, text: string | null): ReadonlyArray<string> =>
  declarationsOf(sourceLines(text), languageOf(path))
    .map(({ name }) => name)
    .filter(isTelling)

export const isSourceFile = (path: string): boolean => isProgram(languageOf(path))

const rowsOf = ({ base, path, text }: ProposedFile) =>
  numberedRows(wholeChange(path, base ?? undefined, text ?? "").diff)

/** Names that a changed file defined before and that no changed file defines afterwards. */
export const removedNames = (changes: ReadonlyArray<ProposedFile>): ReadonlyArray<string> => {
  const left = new Set(changes.flatMap(({ path, text }) => definedNames(path, text)))
  return [...new Set(changes.flatMap(({ base, path }) => definedNames(path, base)))].filter((name) => !left.has(name))
}

/** Matches a line that is too common: similar lines occur in many files. */
const usual = /^(?:import|from|use|using|package|#include|#|\/\/|\/\*|\*|return\b|export \*|[^A-Za-z]*$)/

/** The trimmed lines that changes remove, except moved lines and common lines. */
export const removedLines = (changes: ReadonlyArray<ProposedFile>): ReadonlyArray<string> => {
  const rows = changes.filter(({ path }) => isSourceFile(path)).flatMap(rowsOf)
  const textsOf = (kind: "added" | "removed") => rows.filter((row) => row.kind === kind).map(({ text }) => text.trim())
  const added = new Set(textsOf("added"))
  return [...new Set(textsOf("removed"))].filter((line) => line.length >= 24 && !usual.test(line) && !added.has(line))
}

/** The number of added or of removed lines, whichever is larger. */
export const countChangedLines = ({ base, path, text }: ProposedFile): number => {
  const { added, removed } = wholeChange(path, base ?? undefined, text ?? "")
  return Math.max(added, removed)
}

/** The parts in which two lines differ, extended to whole words. */
const difference = (before: string, after: string): readonly [string, string] => {
  let start = 0
  while (start < before.length && before[start] === after[start]) start += 1
  let end = 0
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  while (start > 0 && /\w/.test(before[start - 1] ?? "")) start -= 1
  while (end > 0 && /\w/.test(before.at(-end) ?? "")) end -= 1
  return [before.slice(start, before.length - end), after.slice(start, after.length - end)]
}

/** True when changes do nothing but replace one text by another, as a rename does. */
export const isReplacement = (changes: ReadonlyArray<ProposedFile>): boolean => {
  if (changes.some(({ base, text }) => text === null || base === null)) return false
  const rows = changes.flatMap(rowsOf)
  const removed = rows.filter(({ kind }) => kind === "removed").map(({ text }) => text)
  const added = rows.filter(({ kind }) => kind === "added").map(({ text }) => text)
  if (removed.length === 0 || removed.length !== added.length) return false
  const differences = removed.map((line, index) => difference(line, added[index] ?? ""))
  const [from, to] = differences.toSorted(([a], [b]) => a.length - b.length)[0] ?? ["", ""]
  return from !== "" && removed.every((line, index) => line.replaceAll(from, to) === added[index])
}

export interface NamedText {
  readonly path: string
  readonly text: string
}

/** The lines of a file that use one of the names without defining it. */
export const linesWithName = (
  { path, text }: NamedText,
  names: ReadonlyArray<string>
): ReadonlyArray<{ readonly line: number; readonly name: string; readonly text: string }> => {
  const wanted = names.map((name) => ({
    name,
    pattern: new RegExp(wordPattern(name))
  }))
  return sourceLines(text).flatMap((line, index) => {
    const found = wanted.find(({ pattern }) => pattern.test(line))
    if (found === undefined || declaredName(line, languageOf(path)) === found.name) return []
    return [{ line: index + 1, name: found.name, text: line.trim() }]
  })
}

export const defines = ({ path, text }: NamedText, name: string): boolean => definedNames(path, text).includes(name)
