/**
 * Which matches of a search are shown where not all have room: files that a program is made of before tests, text for people, and
 * what tools write; in a file what declares a name before what uses it; and something of each file, what tools write excepted,
 * before more of one.
 */
import { declaredName, isProgram } from "./Declarations.ts"
import { languageOf } from "./Language.ts"
import { isTestFile } from "./TestFile.ts"

const written =
  /(?:^|\/)(?:change(?:s|log)|history|news|releases?)(?:\.(?:md|txt|rst|adoc))?$|(?:^|[.-])lock(?:\.[a-z]+)?$|-lock\.(?:json|yaml)$|\.lockb?$|(?:^|\/)go\.sum$|\.min\.[a-z]+$|\.(?:map|snap)$|(?:^|\/)(?:dist|build|vendor|third_party|node_modules)\//i
const testFolder =
  /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|testdata)\/|(?:^|\/)test_?[^/]*\.py$|Test\.(?:java|kt|cs|swift)$/i
const docFolder = /(?:^|\/)(?:docs?|examples?|samples?)\//i

const writtenRank = 4

/** 0 for source, 1 for data and unknown files, 2 for tests, 3 for text for people, 4 for what tools and releases write. */
const searchRank = (path: string): number => {
  if (written.test(path)) return writtenRank
  if (isTestFile(path) || testFolder.test(path)) return 2
  const language = languageOf(path)
  if (docFolder.test(path) || /^(?:markdown|mdx|rst|latex)$/.test(language)) return 3
  return isProgram(language) ? 0 : 1
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
  const chosen: ReadonlyArray<Array<number>> = files.map(() => [])
  const ranked = files
    .map(({ path, rows }, file) => {
      const language = languageOf(path)
      const isDeclared = rows.map(({ line }) => declaredName(line, language) !== undefined)
      const order = [...rows.keys()].toSorted((a, b) => Number(isDeclared[b]) - Number(isDeclared[a]) || a - b)
      return { file, rows, order, rank: searchRank(path), declares: isDeclared.includes(true) }
    })
    .toSorted(
      (a, b) =>
        a.rank - b.rank || Number(b.declares) - Number(a.declares) || b.rows.length - a.rows.length || a.file - b.file
    )
  let [left, count] = [characters, mostRows]
  const take = ({ file, order, rows }: (typeof ranked)[number], position: number): boolean => {
    const index = order[position]
    const size = index === undefined ? 0 : (rows[index]?.size ?? 0)
    if (index === undefined || count === 0 || size > left) return false
    chosen[file]?.push(index)
    left -= size
    count -= 1
    return true
  }
  for (const one of ranked) if (one.rank < writtenRank) take(one, 0)
  for (const rank of new Set(ranked.map((one) => one.rank))) {
    let open = ranked.filter((one) => one.rank === rank)
    for (let position = rank < writtenRank ? 1 : 0; open.length > 0; position++)
      open = open.filter((one) => take(one, position))
  }
  return chosen.map((indexes) => indexes.toSorted((a, b) => a - b))
}
