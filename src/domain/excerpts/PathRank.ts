/** Finds the file that a task means by plain words: the file whose path holds most of them. */
import { stemOf, wordsInName } from "../text/Nearest.ts"
import { isTestMaterial } from "./SearchRank.ts"

/** The minimum score of the file. Each word in its path adds at most 1, and less if many paths hold the word. */
const leastScore = 2

/** How many times the score of the next file the score must be. Otherwise, it is not clear which file is meant. */
const leastLead = 1.5

const stemsIn = (path: string): ReadonlySet<string> =>
  new Set(
    path
      .replace(/\.\w+$/, "")
      .split("/")
      .flatMap((part) => wordsInName(part).map(stemOf))
  )

/** The path that alone holds most of the words. Undefined if none clearly does. Tests are left out. */
export const pathOfWords = (paths: ReadonlyArray<string>, words: ReadonlyArray<string>): string | undefined => {
  const wanted = new Set(words.map(stemOf))
  const sources = paths.filter((path) => !isTestMaterial(path))
  const held = sources.map((path) => ({ path, stems: [...stemsIn(path)].filter((stem) => wanted.has(stem)) }))
  const counts = new Map<string, number>()
  for (const stem of held.flatMap(({ stems }) => stems)) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const weightOf = (stem: string): number => 1 - Math.log(counts.get(stem) ?? 1) / Math.log(sources.length + 1)
  const [best, next] = held
    .map(({ path, stems }) => ({ path, score: stems.reduce((sum, stem) => sum + weightOf(stem), 0) }))
    .toSorted((a, b) => b.score - a.score)
  if (best === undefined || best.score < leastScore) return undefined
  return best.score >= leastLead * (next?.score ?? 0) ? best.path : undefined
}
