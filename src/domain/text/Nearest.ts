/**
 * The valid words that a wrong word may have meant. Named in issues and error messages.
 */
import { distance } from "fastest-levenshtein"

/** At most three candidates, each once, nearest first; those that share nothing with the word are left out. */
export const nearest = (word: string, candidates: ReadonlyArray<string>): ReadonlyArray<string> => {
  const sought = word.toLowerCase()
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, cost: distance(sought, candidate.toLowerCase()) }))
    .filter(({ candidate, cost }) => cost < Math.max(sought.length, candidate.length))
    .sort((a, b) => a.cost - b.cost || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}
