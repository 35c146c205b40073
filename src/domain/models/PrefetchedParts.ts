/**
 * Finds the parts of source files that contain names or strings which a task or its prompt writes as code. Otherwise, a
 * model would first search for them and then read the lines around them.
 */
import { isSourceFile, type NamedText } from "../files/ChangedNames.ts"
import { declarationsOf, declaredName } from "../files/Declarations.ts"
import { languageOf } from "../files/Language.ts"
import { fenced, rawBlock } from "../markdown/PromptBlock.ts"
import { type CallOutcome, pathOf } from "../tools/ToolCall.ts"
import { isRead, linesOfRead } from "./CallLine.ts"
import type { ConversationMessage } from "./ConversationMessage.ts"
import { gapText } from "./OutputCut.ts"
import { changelogLines } from "../excerpts/ChangelogLines.ts"
import { cutLine, packLines } from "../excerpts/Packing.ts"
import { isChangelog, isTestMaterial } from "../excerpts/SearchRank.ts"
import { holdsName, type SearchTerms } from "../excerpts/SearchTerms.ts"
import { wholeDeclarations } from "../excerpts/WholeDeclarations.ts"
import { numberLines, readNumbered } from "../text/NumberedLines.ts"

type Messages = ReadonlyArray<ConversationMessage>

/**
 * A turn without a reply yet. `outcomes` are the outcomes of all calls so far, and `newOutcomes` those of this turn.
 */
export interface SearchedTurn {
  readonly messages: Messages
  readonly outcomes: ReadonlyArray<CallOutcome>
  readonly newOutcomes: ReadonlyArray<CallOutcome>
  /** The maximum length of a reply to these messages, in characters. */
  readonly replyBudget: (messages: Messages) => number
}

/** The parts of files for the reply, and the messages, which may be shortened to make room for them. */
export interface SecondLook {
  readonly messages: Messages
  readonly parts: string
}

/** A name that more files declare than this says little about each of them. */
const mostDeclaring = 3

/** A text on more lines of a file than this does not point to a place in it. */
const mostLines = 3

/** A name that may also be a plain word. */
const plainWord = /^[A-Z]?[a-z]+$/

/** Uses of a name, or search hits, in more files than this say little about each of them. */
const mostHolders = 8

/** The minimum size of a part around a search hit, in characters. A smaller part could not hold a function. */
const leastParts = 600

const linesOf = (text: string): ReadonlyArray<string> => text.replace(/\n$/, "").split("\n")

/** The lines of a file (indexes from 0) to which a name or string of a task points. */
interface PointedLines {
  readonly file: NamedText
  readonly weight: number
  readonly indexes: ReadonlyArray<number>
}

/** The lines of each file that hold a text and that `isMeant` accepts. */
const pointedLines = (
  files: ReadonlyArray<NamedText>,
  { text, weight }: SearchTerms["names"][number],
  isMeant: (line: string, language: string) => boolean
): ReadonlyArray<PointedLines> =>
  files.flatMap((file) => {
    if (!file.text.includes(text)) return []
    const language = languageOf(file.path)
    const indexes = linesOf(file.text).flatMap((line, index) =>
      line.includes(text) && isMeant(line, language) ? [index] : []
    )
    return indexes.length === 0 ? [] : [{ file, indexes, weight }]
  })

/** None if these lines are in more than `mostFiles` files. Files with more than `mostLines` lines are left out. */
const ifFew = (pointed: ReadonlyArray<PointedLines>, mostFiles: number): ReadonlyArray<PointedLines> =>
  pointed.length > mostFiles
    ? []
    : pointed
        .filter(({ indexes }) => indexes.length <= mostLines)
        .map(({ file, indexes, weight }) => ({ file, indexes, weight: weight / pointed.length }))

/**
 * The files to which the terms point, the best first, each with its lines. A name points to the lines that declare it, or
 * if it is no plain word and is declared nowhere, to its uses. A string points to the only file that holds it. Tests do
 * not count, because they repeat all of these.
 */
const bestFiles = (texts: ReadonlyArray<NamedText>, { literals, names }: SearchTerms) => {
  const files = texts.filter(({ path }) => !isTestMaterial(path))
  const ofName = (name: SearchTerms["names"][number]): ReadonlyArray<PointedLines> => {
    const declaring = pointedLines(files, name, (line, language) => declaredName(line, language) === name.text)
    if (declaring.length > 0) return ifFew(declaring, mostDeclaring)
    return plainWord.test(name.text) ? [] : ifFew(pointedLines(files, name, holdsName({ names: [name] })), mostHolders)
  }
  const all = [
    ...literals.flatMap((literal) =>
      ifFew(
        pointedLines(files, literal, () => true),
        1
      )
    ),
    ...names.flatMap(ofName)
  ].toSorted((a, b) => b.weight - a.weight)
  return [...Map.groupBy(all, ({ file }) => file)]
    .map(([file, ofFile]) => ({
      file,
      score: ofFile.reduce((sum, { weight }) => sum + weight, 0),
      indexes: ofFile.flatMap(({ indexes }) => indexes)
    }))
    .toSorted((a, b) => b.score - a.score)
}

const longNote = "Not shown, because they are long"
/** The line below the parts. It is right before the first change. */
const note = new RegExp(`^${longNote}: .*\n*`, "m")

const partBlock = (path: string, { text }: { readonly text: string }): string =>
  `Path: ${path}\n\n${fenced(text, languageOf(path))}\n\n`

/** The changelogs whose paths are in the text. */
export const namedChangelogs = (text: string, files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = new Set(text.match(/[\w.-][\w./-]*\w/g))
  return files.filter((path) => isChangelog(path) && words.has(path))
}

/** The lines of a changelog that show where a new entry belongs. */
export const changelogBlock = ({ path, text }: NamedText, budget: number): string => {
  const lines = numberLines(linesOf(text), 1).map((line) => cutLine(line))
  return partBlock(
    path,
    packLines(lines, budget, gapText, (choice) => choice.addEach(changelogLines(text)))
  )
}

/** Keeps the parts that `isKept` accepts, without the line below the parts. Empty if none remains. */
export const keptParts = (
  prefetched: string,
  isKept: (path: string, lines: ReadonlyArray<number>) => boolean
): string => {
  const [heading = "", ...blocks] = prefetched.replace(note, "").split(/^(?=Path: )/m)
  const kept = blocks.filter((block) => {
    const lines = block.split("\n").flatMap((line) => readNumbered(line)?.number ?? [])
    return isKept(/^Path: (.*)$/m.exec(block)?.[1] ?? "", lines)
  })
  return kept.length === 0 ? "" : [heading, ...kept].join("")
}

/** True if reads have shown at least half of these lines of a file. */
export const haveRead = (outcomes: ReadonlyArray<CallOutcome>, path: string, lines: ReadonlyArray<number>): boolean => {
  const ranges = outcomes
    .filter((one) => isRead(one) && pathOf(one.call) === path)
    .flatMap((one) => linesOfRead(one) ?? [])
  const seen = lines.filter((line) => ranges.some(({ from, to }) => from <= line && line <= to))
  return seen.length * 2 >= lines.length
}

export const wantedTexts = ({ literals, names }: SearchTerms): ReadonlyArray<string> =>
  [...literals, ...names].map(({ text }) => text)

/**
 * Shows the declarations of the files to which the terms point. The text `more` follows, and then the places of
 * declarations that are too long. `budgets` has the maximum number of characters of each part. Its length is the maximum
 * number of parts.
 */
export const prefetchedParts = (
  texts: ReadonlyArray<NamedText>,
  terms: SearchTerms,
  budgets: ReadonlyArray<number>,
  more = ""
): string => {
  const parts = bestFiles(texts, terms)
    .slice(0, budgets.length)
    .map(({ file, indexes }, index) => {
      const source = { lines: linesOf(file.text), language: languageOf(file.path) }
      const { text, tooLong } = wholeDeclarations(source, indexes, { budget: budgets[index] ?? 0, gap: gapText })
      const places = tooLong.map(({ from, name, to }) => `\`${name}\` lines ${from} to ${to}`)
      return {
        block: text === "" ? "" : partBlock(file.path, { text }),
        places: places.length === 0 ? [] : [`${file.path} ${places.join(", ")}`]
      }
    })
  const places = parts.flatMap((part) => part.places).join("; ")
  const blocks = parts.map(({ block }) => block).join("")
  const unshown = places === "" ? "" : `${longNote}: ${places}.`
  return rawBlock("## Parts of files that hold words of the task", `${blocks}${more}${unshown}`.trimEnd())
}

/** The lines of a file that declare something, in at most `budget` characters. */
export const outlinePart = ({ path, text }: NamedText, budget: number): string => {
  const lines = linesOf(text)
  const rows = numberLines(lines, 1).map((line) => cutLine(line))
  const declarations = declarationsOf(lines, languageOf(path)).toSorted((a, b) => a.depth - b.depth)
  return partBlock(
    path,
    packLines(
      rows,
      budget,
      () => "...",
      (choice) => choice.addEach(declarations.map(({ index }) => index))
    )
  )
}

/** The line numbers of search hits in source files, by file. Empty if too many files have hits. */
export const hitsIn = (outputs: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<number>> => {
  const hits = [...outputs.join("\n").matchAll(/^(\S+):(\d+): /gm)].map(([, path = "", line]) => ({
    path,
    line: Number(line)
  }))
  const files = Map.groupBy(
    hits.filter(({ path }) => isSourceFile(path)),
    ({ path }) => path
  )
  if (files.size > mostHolders) return new Map()
  return new Map([...files].map(([path, found]) => [path, found.map(({ line }) => line)]))
}

/**
 * The declarations around search hits, in at most `budget` characters. Source files come before tests, and files with
 * more hits first.
 */
export const partsAround = (
  texts: ReadonlyArray<NamedText>,
  hits: ReadonlyMap<string, ReadonlyArray<number>>,
  budget: number
): string => {
  const hitsOf = ({ path }: NamedText): ReadonlyArray<number> => hits.get(path) ?? []
  const ordered = texts.toSorted(
    (a, b) => Number(isTestMaterial(a.path)) - Number(isTestMaterial(b.path)) || hitsOf(b).length - hitsOf(a).length
  )
  let blocks = ""
  for (const file of ordered) {
    const budgetLeft = budget - blocks.length
    if (budgetLeft < leastParts) break
    const { text } = wholeDeclarations(
      { lines: linesOf(file.text), language: languageOf(file.path) },
      hitsOf(file).map((line) => line - 1),
      { budget: budgetLeft - file.path.length - 30, gap: gapText }
    )
    if (text !== "") blocks += partBlock(file.path, { text })
  }
  return rawBlock("## Parts of files around what was found", blocks.trimEnd())
}

/** Appends the parts of `added` to `kept`, without the heading of `added`. */
export const joinedParts = (kept: string, added: string): string =>
  kept === "" ? added : `${kept.trimEnd()}\n\n${added.slice(Math.max(0, added.search(/^Path: /m)))}`
