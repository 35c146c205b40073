/**
 * Chooses which matches of a search are shown if not all fit: source files before tests and prose, and a name's
 * declarations before its uses. Every file gets one match before any gets a second. Import statements and generated files
 * come last.
 */
import { declaredName, isProgram } from "../files/Declarations.ts"
import { isImportLine } from "../files/ImportLine.ts"
import { languageOf } from "../files/Language.ts"
import { isTestFile } from "../files/TestFile.ts"
import { LineChoice } from "./Packing.ts"
import { fileOrder } from "./Scores.ts"

const changelog = /(?:^|\/)(?:change(?:s|log)|history|news|releases?)(?:\.(?:md|txt|rst|adoc))?$/i

export const isChangelog = (path: string): boolean => changelog.test(path)

const written =
  /(?:^|[.-])lock(?:\.[a-z]+)?$|-lock\.(?:json|yaml)$|\.lockb?$|(?:^|\/)go\.sum$|\.min\.[a-z]+$|\.(?:map|snap)$|(?:^|\/)(?:dist|build|vendor|third_party|node_modules)\//i
const testFolder =
  /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|testdata)\/|(?:^|\/)test_?[^/]*\.py$|Test\.(?:java|kt|cs|swift)$/i
const docFolder = /(?:^|\/)(?:docs?|examples?|samples?)\//i

const kindOf = (path: string): (typeof fileOrder)[number] => {
  if (isChangelog(path) || written.test(path)) return "written"
  if (isTestFile(path) || testFolder.test(path)) return "test"
  const language = languageOf(path)
  if (docFolder.test(path) || /^(?:markdown|mdx|rst|latex)$/.test(language)) return "prose"
  return isProgram(language) ? "source" : "data"
}

/** True for tests and what they use, such as fixtures. */
export const isTestMaterial = (path: string): boolean => kindOf(path) === "test"

/** A file with its matches, of which some are chosen. */
export interface SearchRows {
  /** The path of the file, relative to the project. */
  readonly path: string
  /** The matches in the order of the file. `line` is the matching line. */
  readonly rows: ReadonlyArray<{
    readonly line: string
    /** The number of characters of the match and of the lines shown around it. */
    readonly size: number
  }>
}

/**
 * Chooses at most `rows` matches with `characters` characters in total. Returns their indexes for each file, in order.
 */
export const chooseRows = (
  files: ReadonlyArray<SearchRows>,
  { characters, rows: mostRows = Number.MAX_SAFE_INTEGER }: { readonly characters: number; readonly rows?: number }
): ReadonlyArray<ReadonlyArray<number>> => {
  let count = 0
  const placed = files.map(({ path, rows }) => {
    const language = languageOf(path)
    const all = rows.map(({ line }, row) => ({
      row,
      at: count + row,
      /** A declaration comes first, and an import last, because it only repeats a name. */
      order: isImportLine(line) ? 2 : declaredName(line, language) === undefined ? 1 : 0
    }))
    count += rows.length
    const inOrder = all.toSorted((a, b) => a.order - b.order)
    const order = inOrder[0]?.order ?? 0
    return { kind: order === 2 ? "written" : kindOf(path), order, all, inOrder }
  })
  const sizes = files.flatMap(({ rows }) => rows.map(({ size }) => size))
  const choice = new LineChoice(sizes, 0, characters)
  const take = ({ inOrder }: (typeof placed)[number], position: number): boolean => {
    const at = inOrder[position]?.at
    return at !== undefined && choice.lines.size < mostRows && choice.add([at])
  }
  const ranked = placed.toSorted((a, b) => a.order - b.order || b.all.length - a.all.length)
  const groups = fileOrder.map((kind) => ranked.filter((file) => file.kind === kind))
  for (const file of groups.slice(0, -1).flat()) take(file, 0)
  for (const [index, group] of groups.entries()) {
    let open = group
    for (let position = index < groups.length - 1 ? 1 : 0; open.length > 0; position++)
      open = open.filter((file) => take(file, position))
  }
  return placed.map(({ all }) => all.flatMap(({ at, row }) => (choice.lines.has(at) ? [row] : [])))
}
