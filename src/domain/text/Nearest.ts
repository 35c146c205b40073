/**
 * The valid names that a wrong name may have meant, for issues and error messages. Names are compared as words in any
 * order, by meaning and by spelling.
 */
import { distance } from "fastest-levenshtein"
import { bothChange, intentOf, type NameWord, wordsOf } from "./WordMeanings.ts"

/** Two names that are less alike than this have nothing to do with each other. */
const threshold = 0.45

/** True for words of three letters and more that differ in the order of their letters only: `scr` and `src`. */
const hasSameLetters = (a: string, b: string): boolean =>
  a.length > 2 && a.length === b.length && [...a].toSorted().join("") === [...b].toSorted().join("")

/** How alike two words are, 0 to 1. */
const wordLikeness = (a: NameWord, b: NameWord): number => {
  if (a.stem === b.stem) return 1
  if (a.meanings.some((meaning) => b.meanings.includes(meaning))) return 0.85
  const [short, long] = a.stem.length < b.stem.length ? [a.stem, b.stem] : [b.stem, a.stem]
  if (short.length >= 3 && long.startsWith(short)) return 0.75
  const typos = long.length >= 8 ? 2 : long.length >= 4 ? 1 : 0
  if (distance(a.stem, b.stem) <= typos || hasSameLetters(a.stem, b.stem)) return 0.8
  return bothChange(a, b) ? 0.6 : 0
}

const weightOf = (words: ReadonlyArray<NameWord>): number => words.reduce((sum, { weight }) => sum + weight, 0)

/** How much of the words of one name have a counterpart in the other. */
const covered = (some: ReadonlyArray<NameWord>, others: ReadonlyArray<NameWord>): number =>
  some.reduce((sum, word) => sum + word.weight * Math.max(0, ...others.map((other) => wordLikeness(word, other))), 0)

/** The share of the words of both names that have a counterpart in the other one. */
const meaningLikeness = (a: ReadonlyArray<NameWord>, b: ReadonlyArray<NameWord>): number => {
  const total = weightOf(a) + weightOf(b)
  return total === 0 ? 0 : (covered(a, b) + covered(b, a)) / total
}

const bareOf = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")

const spellingLikeness = (a: string, b: string): number =>
  a === "" || b === "" ? 0 : 1 - distance(a, b) / Math.max(a.length, b.length)

/**
 * At most three candidates, each once, nearest first; none that has nothing to do with the word. A name that only looks
 * is never answered with one that changes something, nor the other way round.
 *
 * ```ts
 * nearest("code-search", ["search-docs", "search-code", "review"]) // ["search-code", "search-docs"]
 * ```
 */
export const nearest = (word: string, candidates: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [sought, bare, intent] = [wordsOf(word), bareOf(word), intentOf(word)]
  return [...new Set(candidates)]
    .map((candidate) => {
      const other = intentOf(candidate)
      const isOpposite = intent !== undefined && other !== undefined && intent !== other
      const spelling = spellingLikeness(bare, bareOf(candidate))
      const meaning = isOpposite ? 0 : meaningLikeness(sought, wordsOf(candidate))
      /* A typing error is nearer than a word of the same meaning. */
      return { candidate, spelling, likeness: Math.max(meaning, spelling >= 0.6 && !isOpposite ? spelling : 0) }
    })
    .filter(({ likeness }) => likeness >= threshold)
    .sort((a, b) => b.likeness - a.likeness || b.spelling - a.spelling || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** The nearest names, or all of them when none is near: where only these names are valid. */
export const nearestOrAll = (word: string, candidates: ReadonlyArray<string>): ReadonlyArray<string> => {
  const near = nearest(word, candidates)
  return near.length > 0 ? near : candidates
}
