/**
 * Extracts the search terms of a task (quoted strings, names in backticks or in the form of code, words), and finds the
 * lines of a text with these terms.
 */
import { type Declaration, declarationsAround } from "../files/Declarations.ts"
import { languageOf } from "../files/Language.ts"
import { stemOf, wordsInName } from "../text/Nearest.ts"
import type { LineRange } from "../text/LineRange.ts"
import { scoreParts, termScores } from "./Scores.ts"

/** A string or a name with its weight, at most 1. */
interface Named {
  readonly text: string
  readonly weight: number
}

export interface SearchTerms {
  readonly literals: ReadonlyArray<Named>
  readonly names: ReadonlyArray<Named>
  /** The words, in lower case. */
  readonly words: ReadonlyArray<string>
}

const mostWords = 60
const mostNamed = 30
const mostMatches = 300

/** Common words, which do not help to find a place in a text. */
const commonWords = new Set(
  "about also and any are because but can does each for from has have how into its let more must not one only other part should than that the their them then there they this too was what when where which while will with would".split(
    " "
  )
)

/**
 * The words of a text that may occur in source code. They are in lower case and occur once each. Common words are left
 * out.
 */
const wordsOf = (text: string): ReadonlyArray<string> => {
  const words = text.toLowerCase().match(/[\p{L}_$][\p{L}\d_$]{2,}/gu) ?? []
  return [...new Set(words)].filter((word) => !commonWords.has(word)).slice(0, mostWords)
}

const quoted = /`([^`\n]{2,200})`|"([^"\n]{3,200})"|“([^”\n]{3,200})”|(?<![\p{L}\d])'([^'\n]{3,200})'(?![\p{L}\d])/gu
const identifier = /^[A-Za-z_$#@][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*(?:\(.*\))?$/
/** Matches a word that looks like a name in code. It has an underscore or an inner capital, or `()` follows it. */
const codeName =
  /(?<![\w$/.])(?:[A-Za-z$]\w*_\w+|_+[A-Za-z]\w*|[A-Za-z$]*[a-z\d][A-Z][\w$]*|[A-Za-z_$][\w$]*(?=\(\)))(?![\w$/])/g

const isPath = (text: string): boolean => text.includes("/") || languageOf(text) !== ""

/**
 * The names in a text, the most exact first: the parts of `Schema.validate(data)`, or the last word of `def validate`.
 */
const namesIn = (text: string): ReadonlyArray<string> => {
  const last = text.replace(/\(.*$/, "").split(/\s+/).at(-1) ?? ""
  return identifier.test(last)
    ? last
        .split(/\.|::|#|->/)
        .toReversed()
        .filter((part) => part.length > 1)
    : []
}

const named = (text: string, weight: number): Pick<SearchTerms, "literals" | "names"> => {
  const literals: Array<Named> = []
  const names: Array<Named> = []
  for (const [, code, ...others] of text.matchAll(quoted)) {
    const phrase = (code ?? others.find((one) => one !== undefined) ?? "").trim()
    if (phrase.length < 2 || isPath(phrase)) continue
    const parts = namesIn(phrase)
    const isName = code !== undefined ? parts.length > 0 : identifier.test(phrase)
    if (isName) parts.forEach((part, index) => names.push({ text: part, weight: weight / (index + 1) }))
    if (!identifier.test(phrase)) literals.push({ text: phrase, weight })
  }
  for (const [name] of text.replaceAll(quoted, " ").matchAll(codeName))
    names.push({ text: name, weight: weight * scoreParts.form })
  return { literals, names }
}

const once = (all: ReadonlyArray<Named>): ReadonlyArray<Named> => [
  ...new Map(all.toSorted((a, b) => a.weight - b.weight).map((one) => [one.text, one] as const)).values()
]
const strongest = (all: ReadonlyArray<Named>): ReadonlyArray<Named> =>
  once(all)
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, mostNamed)

/** The search terms of a task. A term that occurs only in the user's prompt counts half. */
export const searchTermsOf = (task: string, prompt = ""): SearchTerms => {
  const [taskTerms, promptTerms] = [named(task, 1), named(prompt, scoreParts.prompt)]
  return {
    literals: strongest([...taskTerms.literals, ...promptTerms.literals]),
    names: strongest([...taskTerms.names, ...promptTerms.names]),
    words: wordsOf(task)
  }
}

/** All search terms in lower case, the highest weight first. */
export const textsOf = ({ literals, names, words }: SearchTerms): ReadonlyArray<string> => [
  ...[...literals, ...names].map(({ text }) => text.toLowerCase()),
  ...words
]

const namePattern = (name: string): RegExp =>
  new RegExp(`(?<![\\w$])${name.replaceAll(/[$.*+?^{}()|[\]\\]/g, "\\$&")}(?![\\w$])`)

/** Returns a test for lines with one of the names as a word. */
export const holdsName = ({ names }: Pick<SearchTerms, "names">): ((line: string) => boolean) => {
  const all = names.map(({ text }) => namePattern(text))
  return (line) => all.some((pattern) => pattern.test(line))
}

const hitsOf = (lines: ReadonlyArray<string>, isHit: (line: string) => boolean): ReadonlyArray<number> =>
  lines.flatMap((line, index) => (isHit(line) ? [index] : []))

/**
 * If the best block of a text has a lower score, nothing counts as found. Every other block needs at least `leastPart`
 * of the best score.
 */
export const leastScore = 1
const leastPart = 0.4
/** The minimum score of a matching block if the task also names a place in the text. */
const leastBeside = 0.5
/** The minimum length, in characters, of a stem that is compared. Shorter stems also begin unrelated words. */
const leastStem = 5
/**
 * The maximum number of lines on which a quoted string may occur. On more lines, it is too common to point to a place.
 */
const mostPlaces = 6

/** The maximum number of declarations of a name in a text. More, such as constructors, do not point to a place. */
const mostDeclarations = 3

/** The weight of a word, at most 1, and nearer to 0 the more lines contain it. */
const weightOf = (hits: number, lines: number): number => (1 - Math.log(hits) / Math.log(lines + 1)) ** 2

/** A block of a text whose lines contain search terms. */
export interface MatchedBlock {
  /** The lines of the block with search terms, the best first. */
  readonly matchedLines: ReadonlyArray<number>
  /** The sum of the weights of the words that the block contains. */
  readonly score: number
}

/** Facts about the lines of a text. All indexes are from 0. */
interface KnownLines {
  readonly declarations: ReadonlyArray<Declaration>
  readonly comments: ReadonlySet<number>
  readonly inImports: ReadonlySet<number>
}

/** Finds the lines that a task names, and the blocks that match its words, the best first. Indexes are from 0. */
export const matchingLines = (
  lines: ReadonlyArray<string>,
  { comments, declarations: all, inImports }: KnownLines,
  { literals, names, words }: SearchTerms,
  blockAt: (index: number) => LineRange
): { readonly meant: ReadonlyArray<number>; readonly blocks: ReadonlyArray<MatchedBlock> } => {
  const scores = new Map<number, number>()
  const meant = new Set<number>()
  const add = (index: number, score: number): void => {
    scores.set(index, (scores.get(index) ?? 0) + (comments.has(index) ? score * scoreParts.comment : score))
  }
  const lower = lines.map((line) => line.toLowerCase())
  for (const { text, weight } of literals) {
    const exact = hitsOf(lines, (line) => line.includes(text))
    const hits = exact.length > 0 ? exact : hitsOf(lower, (line) => line.includes(text.toLowerCase()))
    const inCode = hits.filter((index) => !comments.has(index))
    for (const index of inCode.length > 0 ? inCode : hits) {
      add(index, (termScores.literal * weight) / hits.length)
      if (hits.length <= mostPlaces) meant.add(index)
    }
  }
  const literalLines = new Set(meant)
  const isNamed = new Map(names.map(({ text, weight }) => [text, weight]))
  for (const { text, weight } of names) {
    const declared = all.filter(({ name }) => name === text)
    for (const declaration of declared) {
      const outer = declarationsAround(lines, all, declaration.index).slice(0, -1)
      const isInNamed = outer.some(({ name }) => name !== text && isNamed.has(name))
      const next =
        all.find(({ depth, index }) => index > declaration.index && depth <= declaration.depth)?.index ?? lines.length
      const holdsLiteral = [...literalLines].some((index) => index > declaration.index && index < next)
      const around = (isInNamed ? termScores.inNamed : 0) + (holdsLiteral ? termScores.aroundLiteral : 0)
      add(declaration.index, weight * (termScores.declared / declared.length + around))
      if (declared.length <= mostDeclarations) meant.add(declaration.index)
    }
    const pattern = namePattern(text)
    const uses = hitsOf(lines, (line) => line.includes(text) && pattern.test(line))
    for (const index of uses) add(index, termScores.use * weight * weightOf(uses.length, lines.length))
  }
  const byName = new Map(scores)
  const stems = all.map(({ name }) => new Set(wordsInName(name).map(stemOf)))
  const held = new Map<number, Map<string, number>>()
  for (const word of words) {
    const stem = stemOf(word)
    const declared = all.filter((_, at) => stems[at]?.has(stem) === true)
    const heads = new Set(declared.map(({ index }) => index))
    const begin = stem.length >= leastStem && word.startsWith(stem) ? stem : word
    const hits = hitsOf(lower, (line) => line.includes(begin))
    const weight = termScores.word * weightOf(hits.length, lines.length)
    for (const index of hits) {
      const inName = heads.has(index) ? termScores.word / declared.length : 0
      const score = weight * (comments.has(index) ? scoreParts.comment : 1) + inName
      scores.set(index, (scores.get(index) ?? 0) + score)
      held.set(index, (held.get(index) ?? new Map<string, number>()).set(word, score))
    }
  }
  const best = [...scores].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).map(([index]) => index)
  const matched = best.filter((index) => !meant.has(index) && !inImports.has(index)).slice(0, mostMatches)
  const blocks = [...Map.groupBy(matched, (index) => blockAt(index).from).values()]
    .map((indexes) => {
      const words = new Map<string, number>()
      for (const index of indexes) {
        for (const [word, score] of held.get(index) ?? []) words.set(word, Math.max(score, words.get(word) ?? 0))
      }
      const ofNames = Math.max(...indexes.map((index) => byName.get(index) ?? 0))
      return { matchedLines: indexes, score: [...words.values()].reduce((sum, one) => sum + one, ofNames) }
    })
    .toSorted((a, b) => b.score - a.score)
  const least = Math.max((blocks[0]?.score ?? 0) * leastPart, meant.size === 0 ? 0 : leastBeside)
  return {
    meant: best.filter((index) => meant.has(index)),
    blocks: blocks.filter(({ score }) => score >= least)
  }
}
