/**
 * Words that mean the same in names of tools, skills and arguments, also in those of other programs, and what a word
 * says about an effect. Names are compared by these meanings.
 */

/** Words of one meaning. The first word names the meaning. */
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

/** Parts of names that say little: they count less than other words. */
const weak = new Set(["get", "the", "a", "an", "of", "in", "for", "to", "tool", "file", "current", "my", "task", "do"])

const changing = new Set(["edit", "write", "delete", "remove", "move", "rename", "erase", "rm", "mv"])
const reading = new Set(["search", "tree", "read", "fetch", "time", "research", "count", "summarize", "review", "diff"])

/** `searches`, `searching` and `search` are one word. */
const stemOf = (word: string): string => {
  const bare = word.replace(/(?:ies|ied)$/, "y").replace(/(?<=.{3})(?:ing|es|ed|er|s)$/, "")
  return bare.length > 3 ? bare.replace(/e$/, "") : bare
}

const meanings: ReadonlyMap<string, ReadonlyArray<string>> = (() => {
  const found = new Map<string, Array<string>>()
  for (const group of groups) {
    for (const word of group) {
      const stem = stemOf(word)
      found.set(stem, [...(found.get(stem) ?? []), group[0]])
    }
  }
  return found
})()

/** One word of a name. */
export interface NameWord {
  readonly stem: string
  readonly meanings: ReadonlyArray<string>
  /** How much the word counts, 0 to 1. */
  readonly weight: number
}

/** The words of a name in any style: `searchFiles`, `search-files` and `Search files` have the same. */
export const wordsOf = (name: string): ReadonlyArray<NameWord> =>
  name
    .replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => ({
      stem: stemOf(word),
      meanings: meanings.get(stemOf(word)) ?? [],
      weight: weak.has(word) ? 0.4 : 1
    }))

/** True for two words that both change something, if not in the same way. */
export const bothChange = (a: NameWord, b: NameWord): boolean =>
  [a, b].every(({ meanings, stem }) => changing.has(stem) || changing.has(meanings[0] ?? ""))

/** What a name promises to do: to change something, only to look, or neither as far as its words tell. */
export const intentOf = (name: string): "changes" | "looks" | undefined => {
  const words = wordsOf(name)
  const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word.stem) || set.has(word.meanings[0] ?? ""))
  return has(changing) ? "changes" : has(reading) ? "looks" : undefined
}
