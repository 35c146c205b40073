/**
 * Finds the parts of source files that contain names or strings which a task or its prompt writes as code. Otherwise, a
 * model would first search for them and then read the lines around them.
 */
import { isSourceFile, type NamedText } from "../files/ChangedNames.ts"
import { declaredName } from "../files/Declarations.ts"
import { languageOf } from "../files/Language.ts"
import { fenced, rawBlock } from "../markdown/PromptBlock.ts"
import { type CallOutcome, pathOf } from "../tools/ToolCall.ts"
import { isRead, linesOfRead } from "./CallLine.ts"
import type { ConversationMessage } from "./ConversationMessage.ts"
import { gapText } from "./OutputCut.ts"
import { changelogLines } from "../excerpts/ChangelogLines.ts"
import { cutLine, packLines } from "../excerpts/Packing.ts"
import { scoreParts } from "../excerpts/Scores.ts"
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

/** A name or string in more files than this says little about each of them. */
const mostHolders = 8

/** A text is on many lines of a file if it is on more than this many. Which of them matters is then unknown. */
const mostLines = 3

/** The minimum size of a part around a search hit, in characters. A smaller part could not hold a function. */
const leastParts = 600

const declares = ({ path, text }: NamedText, name: string): boolean => {
  const language = languageOf(path)
  return text.split("\n").some((line) => line.includes(name) && declaredName(line, language) === name)
}

/** A name or string of a task with what it says about the files of the project. */
interface FoundTerm {
  readonly text: string
  readonly weight: number
  readonly holds: (line: string) => boolean
  /** The files with this text. Empty if they are more than `mostHolders`. */
  readonly holders: ReadonlyArray<NamedText>
  /** The file outside of the tests that alone declares this name. */
  readonly declaring: NamedText | undefined
}

const makeFoundTerm =
  (texts: ReadonlyArray<NamedText>) =>
  ({ text, weight }: SearchTerms["names"][number], holds: FoundTerm["holds"]): FoundTerm => {
    const all = texts.filter((file) => file.text.includes(text))
    const [declaring, ...others] = all.filter((file) => !isTestMaterial(file.path) && declares(file, text))
    return {
      text,
      weight,
      holds,
      holders: all.length > mostHolders ? [] : all,
      declaring: others.length === 0 ? declaring : undefined
    }
  }

/** The names and strings that point to files, the highest weight first. */
const foundTerms = (texts: ReadonlyArray<NamedText>, { literals, names }: SearchTerms): ReadonlyArray<FoundTerm> => {
  const termOf = makeFoundTerm(texts)
  return [
    ...literals.map((literal) => termOf(literal, (line) => line.includes(literal.text))),
    ...names.map((name) => termOf(name, holdsName({ names: [name] })))
  ]
    .filter(({ declaring, holders }) => declaring !== undefined || holders.length > 0)
    .toSorted((a, b) => b.weight - a.weight)
}

/**
 * Sorts files, best first. A file scores high if it alone declares a name, or contains texts that few files contain. Test
 * files score lower.
 */
const bestFiles = (terms: ReadonlyArray<FoundTerm>): ReadonlyArray<NamedText> => {
  const scores = new Map<NamedText, number>()
  const add = (file: NamedText, score: number): void => {
    scores.set(file, (scores.get(file) ?? 0) + score)
  }
  for (const { declaring, holders, weight } of terms) {
    if (declaring !== undefined) add(declaring, weight)
    for (const file of holders) add(file, weight / holders.length)
  }
  return [...scores]
    .map(([file, score]) => ({ file, score: isTestMaterial(file.path) ? score * scoreParts.testFile : score }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ file }) => file)
}

const tooLong = "Not shown, because they are long"
/** The line below the parts. It is right before the first change. */
const note = new RegExp(`^${tooLong}: .*\n*`, "m")

const linesOf = (text: string): ReadonlyArray<string> => text.replace(/\n$/, "").split("\n")

const partBlock = (path: string, { text }: { readonly text: string }): string =>
  `Path: ${path}\n\n${fenced(text, languageOf(path))}\n\n`

/**
 * The indexes of the lines that declare a term, in the order of the terms. If a file declares none of them, the lines that
 * use one. Terms on many lines do not count.
 */
const wantedLines = (
  lines: ReadonlyArray<string>,
  language: string,
  terms: ReadonlyArray<FoundTerm>
): ReadonlyArray<number> => {
  const linesWith = (isWanted: (index: number, text: string) => boolean): ReadonlyArray<number> =>
    terms
      .map(({ holds, text }) => [...lines.keys()].filter((at) => holds(lines[at] ?? "") && isWanted(at, text)))
      .filter(({ length }) => length <= mostLines)
      .flat()
  const declaring = linesWith((at, text) => declaredName(lines[at] ?? "", language) === text)
  return declaring.length > 0 ? declaring : linesWith(() => true)
}

/** The declarations of a file that the terms name, and the places of those that do not fit. */
const declarationsIn = ({ path, text }: NamedText, terms: ReadonlyArray<FoundTerm>, budget: number) => {
  const source = { lines: linesOf(text), language: languageOf(path) }
  const chosen = wholeDeclarations(source, wantedLines(source.lines, source.language, terms), { budget, gap: gapText })
  return {
    path,
    block: chosen.text === "" ? "" : partBlock(path, chosen),
    places: chosen.tooLong.map(({ from, name, to }) => `\`${name}\` lines ${from} to ${to}`)
  }
}

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
 * Shows the named declarations of the files that fit the terms best. The text `more` follows. `budgets` has the maximum
 * number of characters of each part. Its length is the maximum number of parts.
 */
export const prefetchedParts = (
  texts: ReadonlyArray<NamedText>,
  searchTerms: SearchTerms,
  budgets: ReadonlyArray<number>,
  more = ""
): string => {
  const terms = foundTerms(texts, searchTerms)
  const parts = bestFiles(terms)
    .slice(0, budgets.length)
    .map((file, index) => declarationsIn(file, terms, budgets[index] ?? 0))
  const places = parts
    .filter((part) => part.places.length > 0)
    .map(({ path, places }) => `${path} ${places.join(", ")}`)
  const unshown = places.length === 0 ? "" : `${tooLong}: ${places.join("; ")}.`
  const blocks = parts.map(({ block }) => block).join("")
  return rawBlock("## Parts of files that hold words of the task", `${blocks}${more}${unshown}`.trimEnd())
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
