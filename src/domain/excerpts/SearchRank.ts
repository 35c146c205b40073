/**
 * Which matches of a search are shown where not all have room: files that a program is made of before tests, text for people, and
 * what tools write; in a file what declares a name before what uses it; and something of each file, what tools write excepted,
 * before more of one.
 */
import { declaredName, isProgram } from "../files/Declarations.ts"
import { languageOf } from "../files/Language.ts"
import { isTestFile } from "../files/TestFile.ts"
import { LineChoice } from "./Packing.ts"
import { fileRanks } from "./Scores.ts"

const written =
  /(?:^|\/)(?:change(?:s|log)|history|news|releases?)(?:\.(?:md|txt|rst|adoc))?$|(?:^|[.-])lock(?:\.[a-z]+)?$|-lock\.(?:json|yaml)$|\.lockb?$|(?:^|\/)go\.sum$|\.min\.[a-z]+$|\.(?:map|snap)$|(?:^|\/)(?:dist|build|vendor|third_party|node_modules)\//i
const testFolder =
  /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|testdata)\/|(?:^|\/)test_?[^/]*\.py$|Test\.(?:java|kt|cs|swift)$/i
const docFolder = /(?:^|\/)(?:docs?|examples?|samples?)\//i

const searchRank = (path: string): number => {
  if (written.test(path)) return fileRanks.written
  if (isTestFile(path) || testFolder.test(path)) return fileRanks.test
  const language = languageOf(path)
  if (docFolder.test(path) || /^(?:markdown|mdx|rst|latex)$/.test(language)) return fileRanks.prose
  return isProgram(language) ? fileRanks.source : fileRanks.data
}

/** The rows of a file that could be shown, each a match with what belongs to it. */
export interface SearchRows {
  readonly path: string
  readonly rows: ReadonlyArray<{
    /** The line that matches. */
    readonly line: string
    /** The characters that it needs. */
    readonly size: number
  }>
}

/** The indexes of the rows of each file that fit in so many rows and characters, in order. */
export const chooseRows = (
  files: ReadonlyArray<SearchRows>,
  { characters, rows: mostRows = Number.MAX_SAFE_INTEGER }: { readonly characters: number; readonly rows?: number }
): ReadonlyArray<ReadonlyArray<number>> => {
  const placed = files.map(({ path, rows }, file) => {
    const before = files.slice(0, file).reduce((sum, other) => sum + other.rows.length, 0)
    const language = languageOf(path)
    const all = rows.map(({ line }, row) => ({
      row,
      at: before + row,
      isDeclared: declaredName(line, language) !== undefined
    }))
    return { rank: searchRank(path), declares: all.some(({ isDeclared }) => isDeclared), all }
  })
  const ranked = placed
    .map((file) => ({ ...file, all: file.all.toSorted((a, b) => Number(b.isDeclared) - Number(a.isDeclared)) }))
    .toSorted((a, b) => a.rank - b.rank || Number(b.declares) - Number(a.declares) || b.all.length - a.all.length)
  const sizes = files.flatMap(({ rows }) => rows.map(({ size }) => size))
  const choice = new LineChoice(sizes, 0, characters)
  const take = ({ all }: (typeof ranked)[number], position: number): boolean => {
    const at = all[position]?.at
    return at !== undefined && choice.lines.size < mostRows && choice.add([at])
  }
  for (const file of ranked) if (file.rank < fileRanks.written) take(file, 0)
  for (const rank of new Set(ranked.map((file) => file.rank))) {
    let open = ranked.filter((file) => file.rank === rank)
    for (let position = rank < fileRanks.written ? 1 : 0; open.length > 0; position++)
      open = open.filter((file) => take(file, position))
  }
  return placed.map(({ all }) => all.flatMap(({ at, row }) => (choice.lines.has(at) ? [row] : [])))
}
