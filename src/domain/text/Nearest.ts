/**
 * Suggests valid names for a wrong name. Compares the words of names, in any order. Words are alike if they have a
 * similar spelling, or are synonyms in names of tools, skills and arguments.
 */
import { distance } from "fastest-levenshtein"

/** Groups of synonyms, each named by its first word. */
const groups: ReadonlyArray<readonly [meaning: string, ...words: ReadonlyArray<string>]> = [
  ["search", "find", "grep", "rg", "ripgrep", "ag", "ack", "lookup", "locate", "seek", "scan", "query", "hunt"],
  ["tree", "list", "ls", "dir", "directory", "folder", "glob", "listing", "outline", "structure", "layout"],
  ["read", "cat", "view", "open", "show", "load", "head", "tail", "inspect", "get", "understand", "explain", "analyse"],
  ["edit", "modify", "change", "patch", "replace", "update", "alter", "fix", "refactor", "sed", "apply", "implement"],
  ["write", "create", "save", "make", "new", "add", "touch", "put", "store", "generate", "append", "overwrite"],
  ["run", "execute", "exec", "invoke", "bash", "shell", "sh", "terminal", "console", "cmd", "powershell", "process"],
  ["command", "cmd", "argv", "script", "bash", "shell", "sh", "terminal", "console"],
  ["fetch", "download", "curl", "wget", "browse", "browser", "visit", "scrape", "http", "request", "crawl"],
  ["url", "web", "page", "website", "link", "internet", "online", "http", "site", "google", "browse", "uri", "address"],
  ["research", "search", "browse", "google", "explore", "investigate"],
  ["time", "date", "now", "clock", "today", "datetime", "timestamp"],
  ["file", "path", "document", "filename", "filepath"],
  ["path", "file", "filename", "filepath", "folder", "directory", "dir", "target", "location"],
  ["code", "source", "src", "implementation", "function", "symbol", "codebase", "program"],
  ["docs", "documentation", "doc", "readme", "manual", "guide", "markdown"],
  ["plan", "design", "propose", "proposal", "draft", "architect"],
  ["review", "audit", "critique", "assess", "examine", "evaluate", "feedback", "quality"],
  ["check", "test", "lint", "verify", "validate", "build", "typecheck", "compile"],
  ["summarize", "summary", "conclude", "synthesize", "report", "combine", "merge", "digest", "aggregate"],
  ["task", "todo", "item", "entry"],
  ["pattern", "query", "text", "regex", "regexp", "search", "needle", "term", "expression", "keyword", "find"],
  ["content", "text", "body", "data", "contents"],
  ["old", "search", "find", "before", "original", "from", "previous"],
  ["new", "replace", "after", "replacement", "to", "with"],
  ["start", "from", "begin", "first", "offset"],
  ["end", "to", "last", "until", "stop"],
  ["limit", "max", "maximum", "count", "number"],
  ["edit", "code", "develop", "program"]
]

/** Words that say little, and weigh less. */
const weak = new Set(["get", "the", "a", "an", "of", "in", "for", "to", "tool", "file", "current", "my", "task", "do"])

const changing = new Set(["edit", "write", "delete", "remove", "move", "rename", "erase", "rm", "mv"])
const reading = new Set(["search", "tree", "read", "fetch", "time", "research", "count", "summarize", "review", "diff"])

/** The stem of a word: `searches`, `searching` and `search` have the same stem. */
export const stemOf = (word: string): string => {
  const bare = word.replace(/(?:ies|ied)$/, "y").replace(/(?<=.{3})(?:ing|es|ed|er|s)$/, "")
  return bare.length > 3 ? bare.replace(/e$/, "") : bare
}

const meanings = Map.groupBy(
  groups.flatMap((group) => group.map((word) => ({ stem: stemOf(word), meaning: group[0] }))),
  ({ stem }) => stem
)

interface NameWord {
  readonly stem: string
  readonly meanings: ReadonlyArray<string>
  /** How much the word counts in comparisons, from 0 to 1. */
  readonly weight: number
}

/** The words of a name in lower case, the same for `searchFiles`, `search-files` and `Search files`. */
export const wordsInName = (name: string): ReadonlyArray<string> =>
  name
    .replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")

const wordsOf = (name: string): ReadonlyArray<NameWord> =>
  wordsInName(name).map((word) => ({
    stem: stemOf(word),
    meanings: meanings.get(stemOf(word))?.map(({ meaning }) => meaning) ?? [],
    weight: weak.has(word) ? 0.4 : 1
  }))

/** True if both words are verbs for changes, even for different changes. */
const bothChange = (a: NameWord, b: NameWord): boolean =>
  [a, b].every(({ meanings, stem }) => changing.has(stem) || changing.has(meanings[0] ?? ""))

/** Whether a name promises a change or a read; undefined if neither. */
export const intentOf = (name: string): "changes" | "reads" | undefined => {
  const words = wordsOf(name)
  const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word.stem) || set.has(word.meanings[0] ?? ""))
  return has(changing) ? "changes" : has(reading) ? "reads" : undefined
}

/** Names with less likeness than this are unrelated, and not suggested. */
const threshold = 0.45

/** True for words with the same letters in another order, such as `scr` and `src`. */
const hasSameLetters = (a: string, b: string): boolean =>
  a.length > 2 && a.length === b.length && [...a].toSorted().join("") === [...b].toSorted().join("")

/** The likeness of two words, from 0 to 1. */
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

/**
 * The sum of the weights in `some`. Each weight is multiplied by the likeness of its word to the most similar word in
 * `others`.
 */
const covered = (some: ReadonlyArray<NameWord>, others: ReadonlyArray<NameWord>): number =>
  some.reduce((sum, word) => sum + word.weight * Math.max(0, ...others.map((other) => wordLikeness(word, other))), 0)

/** The likeness of two names: the share of all their words that have a similar word in the other name. */
const meaningLikeness = (a: ReadonlyArray<NameWord>, b: ReadonlyArray<NameWord>): number => {
  const total = weightOf(a) + weightOf(b)
  return total === 0 ? 0 : (covered(a, b) + covered(b, a)) / total
}

const bareOf = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")

const spellingLikeness = (a: string, b: string): number =>
  a === "" || b === "" ? 0 : 1 - distance(a, b) / Math.max(a.length, b.length)

/**
 * At most three candidates, nearest first. Unrelated names are left out. A name that promises a read never gets a
 * suggestion that promises a change, and vice versa.
 *
 * ```ts
 * nearest("code-search", ["search-docs", "search-code", "review"]) // ["search-code", "search-docs"]
 * ```
 */
export const nearest = (word: string, candidates: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [words, bare, intent] = [wordsOf(word), bareOf(word), intentOf(word)]
  return [...new Set(candidates)]
    .map((candidate) => {
      const other = intentOf(candidate)
      const isOpposite = intent !== undefined && other !== undefined && intent !== other
      const spelling = spellingLikeness(bare, bareOf(candidate))
      const meaning = isOpposite ? 0 : meaningLikeness(words, wordsOf(candidate))
      /* Among equals, the more similar spelling comes first, because a typing error is more probable than a synonym. */
      return { candidate, spelling, likeness: Math.max(meaning, spelling >= 0.6 && !isOpposite ? spelling : 0) }
    })
    .filter(({ likeness }) => likeness >= threshold)
    .sort((a, b) => b.likeness - a.likeness || b.spelling - a.spelling || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** The nearest names, or all candidates if no name is near. For a value that must be one of the candidates. */
export const nearestOrAll = (word: string, candidates: ReadonlyArray<string>): ReadonlyArray<string> => {
  const near = nearest(word, candidates)
  return near.length > 0 ? near : candidates
}
