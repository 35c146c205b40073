/**
 * Finds the parts of source files that contain names or strings which a task or its prompt writes as code. Otherwise, a
 * model would first search for them and then read the lines around them.
 */
import { isSourceFile, type NamedText } from "../files/ChangedNames.ts"
import { declaredName } from "../files/Declarations.ts"
import { languageOf } from "../files/Language.ts"
import { isTestFile } from "../files/TestFile.ts"
import { fenced, rawBlock } from "../markdown/PromptBlock.ts"
import { type CallOutcome, pathOf } from "../tools/ToolCall.ts"
import { isRead, linesOfRead } from "./CallLine.ts"
import type { ConversationMessage } from "./ConversationMessage.ts"
import { gapText } from "./OutputCut.ts"
import { changelogLines } from "../excerpts/ChangelogLines.ts"
import { cutLine, packLines } from "../excerpts/Packing.ts"
import { scoreParts } from "../excerpts/Scores.ts"
import { isChangelog } from "../excerpts/SearchRank.ts"
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

/**
 * The uses of a name or string count only if at most this many files contain it. In more files, a use says little about
 * each file.
 */
const mostHolders = 8

/**
 * A text names at most this many further files with the number of their matching lines. The others are only counted.
 */
const mostOthers = 8

/** A text is on many lines of a file if it is on more than this many. Which of them matters is then unknown. */
const mostLines = 3

/** The minimum size of a part around a search hit, in characters. A smaller part could not hold a function. */
const leastParts = 600

const countHolding = (text: string, wanted: ReadonlyArray<string>): number =>
  text.split("\n").filter((line) => wanted.some((part) => line.includes(part))).length

const declares = ({ path, text }: NamedText, name: string): boolean => {
  const language = languageOf(path)
  return text.split("\n").some((line) => line.includes(name) && declaredName(line, language) === name)
}

/**
 * Sorts files, best first. A file scores high if it alone declares a wanted name, or contains wanted texts that few
 * files contain. Test files score lower.
 */
const bestFiles = (texts: ReadonlyArray<NamedText>, { literals, names }: SearchTerms): ReadonlyArray<NamedText> => {
  const scores = new Map<NamedText, number>()
  const add = (file: NamedText, score: number): void => {
    scores.set(file, (scores.get(file) ?? 0) + score)
  }
  for (const { text: wanted, weight } of [...literals, ...names]) {
    const holders = texts.filter(({ text }) => text.includes(wanted))
    const [declaring, ...others] = holders.filter((file) => declares(file, wanted))
    if (declaring !== undefined && others.length === 0) add(declaring, weight)
    if (holders.length <= mostHolders) for (const file of holders) add(file, weight / holders.length)
  }
  return [...scores]
    .map(([file, score]) => ({ file, score: isTestFile(file.path) ? score * scoreParts.testFile : score }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ file }) => file)
}

const tooLong = "Not shown, because they are long"
const elsewhere = "Lines that hold them in other files"
/** The lines below the parts. They are right before the first change. */
const notes = new RegExp(`^(?:${tooLong}|${elsewhere}): .*\n*`, "gm")

const linesOf = (text: string): ReadonlyArray<string> => text.replace(/\n$/, "").split("\n")

const partBlock = (path: string, { text }: { readonly text: string }): string =>
  `Path: ${path}\n\n${fenced(text, languageOf(path))}\n\n`

/**
 * The indexes of the lines that declare a text of the terms, the texts in the order of their weights. If a file declares
 * none of them, the lines that use one. Texts on many lines do not count.
 */
const wantedLines = (
  lines: ReadonlyArray<string>,
  language: string,
  { literals, names }: SearchTerms
): ReadonlyArray<number> => {
  const terms = [
    ...literals.map(({ text, weight }) => ({ text, weight, holds: (line: string) => line.includes(text) })),
    ...names.map((name) => ({ ...name, holds: holdsName({ names: [name] }) }))
  ].toSorted((a, b) => b.weight - a.weight)
  const linesWith = (isWanted: (index: number, text: string) => boolean): ReadonlyArray<number> =>
    terms
      .map(({ holds, text }) => [...lines.keys()].filter((at) => holds(lines[at] ?? "") && isWanted(at, text)))
      .filter(({ length }) => length <= mostLines)
      .flat()
  const declaring = linesWith((at, text) => declaredName(lines[at] ?? "", language) === text)
  return declaring.length > 0 ? declaring : linesWith(() => true)
}

/** The declarations of a file that the terms name, and the places of those that do not fit. */
const declarationsIn = ({ path, text }: NamedText, terms: SearchTerms, budget: number) => {
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

/** Keeps the parts that `isKept` accepts, without the lines below the parts. Empty if none remains. */
export const keptParts = (
  prefetched: string,
  isKept: (path: string, lines: ReadonlyArray<number>) => boolean
): string => {
  const [heading = "", ...blocks] = prefetched.replace(notes, "").split(/^(?=Path: )/m)
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
 * Shows the named declarations of the files that fit the terms best. The text `more` follows, and then the names of other
 * fitting files. `budgets` has the maximum number of characters of each part. Its length is the maximum number of
 * parts.
 */
export const prefetchedParts = (
  texts: ReadonlyArray<NamedText>,
  terms: SearchTerms,
  budgets: ReadonlyArray<number>,
  more = ""
): string => {
  const best = bestFiles(texts, terms)
  const wanted = wantedTexts(terms)
  const others = best.slice(budgets.length)
  const counts = others.slice(0, mostOthers).map(({ path, text }) => `${path} ${countHolding(text, wanted)}`)
  const uncounted = others.length > mostOthers ? `, and ${others.length - mostOthers} more files` : ""
  const also = others.length === 0 ? "" : `${elsewhere}: ${counts.join(", ")}${uncounted}.`
  const parts = best.slice(0, budgets.length).map((file, index) => declarationsIn(file, terms, budgets[index] ?? 0))
  const places = parts
    .filter((part) => part.places.length > 0)
    .map(({ path, places }) => `${path} ${places.join(", ")}`)
  const unshown = places.length === 0 ? "" : `${tooLong}: ${places.join("; ")}.\n\n`
  const blocks = parts.map(({ block }) => block).join("")
  return rawBlock("## Parts of files that hold words of the task", `${blocks}${more}${unshown}${also}`.trimEnd())
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
    (a, b) => Number(isTestFile(a.path)) - Number(isTestFile(b.path)) || hitsOf(b).length - hitsOf(a).length
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
