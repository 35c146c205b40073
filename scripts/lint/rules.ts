/**
 * Lint rules for names and comments in `src`. A rule that much code still breaks has an allowance for each room in
 * `allowances.json`: a room may not break the rule more often, and `node scripts/lint/names.ts --lower` writes what is
 * still broken. An allowance never rises.
 */
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { declarationsOf } from "./declarations.ts"

export type RuleName = "pronoun" | "comment" | "word"

/** A place that breaks a rule. `path` is below src. */
export interface Violation {
  readonly rule: RuleName
  readonly path: string
  readonly line: number
  readonly message: string
}

/** How often a room may break a rule. */
export type Allowances = Readonly<Record<string, Readonly<Record<string, number>>>>

const root = new URL("../../", import.meta.url)

/** Names that say nothing about their value. */
const pronouns = new Set("one other given found said made known shown taken asked left own".split(" "))

const mostLines = 3

/** Words of a comment that say nothing about what it describes. */
const stopWords = new Set(
  (
    "a an and all any are as at be been by can each every for from given has have how if in into is it its many may of on one or " +
    "so some than that the their them then there these they this those to true was were what when where whether which whose will with"
  ).split(" ")
)

const camelWords = (name: string): ReadonlyArray<string> => name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? []

const stem = (word: string): string => word.toLowerCase().replace(/(?:ies|y|ing|ed|es|s|e)$/, "")

/** True for a comment of which every word is in the names of what it describes. */
export const repeatsNames = (comment: string, names: ReadonlyArray<string>): boolean => {
  const words = (comment.toLowerCase().match(/[a-z]+|\d+/g) ?? []).filter((word) => !stopWords.has(word)).map(stem)
  const named = new Set(names.flatMap(camelWords).map(stem))
  return words.length > 0 && words.every((word) => named.has(word))
}

/** The words that the table of refused words in the glossary has, with the words for them. */
export const refusedWords = (glossary: string): ReadonlyMap<string, string> => {
  const table = /\| refused \| use \|\n\|[-| ]+\|\n((?:\|.*\|\n)*)/.exec(glossary)?.[1] ?? ""
  const rows = [...table.matchAll(/^\| (.*?) \| (.*?) \|$/gm)]
  return new Map(
    rows.flatMap(([, refused = "", use = ""]) =>
      [...refused.matchAll(/`(\w+)`/g)].map(([, word = ""]) => [word, use] as const)
    )
  )
}

/** True for a name that has a word, which may itself be of more words: `firstLook` is in `withFirstLook`. */
const hasWord = (name: string, word: string): boolean =>
  ` ${camelWords(name).join(" ").toLowerCase()} `.includes(` ${camelWords(word).join(" ").toLowerCase()} `)

/** What a text breaks. */
export const violationsIn = (
  path: string,
  text: string,
  refused: ReadonlyMap<string, string>
): ReadonlyArray<Violation> => {
  const { comments, declarations } = declarationsOf(text)
  const names = declarations.flatMap(({ line, lines, name }): ReadonlyArray<Violation> => {
    if (pronouns.has(name)) {
      const message = `\`${name}\` is alive for more than ${mostLines} lines: name what the value is.`
      return lines > mostLines ? [{ rule: "pronoun", path, line, message }] : []
    }
    const word = [...refused.keys()].find((refusedWord) => hasWord(name, refusedWord))
    if (word === undefined) return []
    return [
      { rule: "word", path, line, message: `\`${name}\` has the word \`${word}\`: use ${refused.get(word) ?? ""}.` }
    ]
  })
  const repeats = comments.filter(({ names: described, text: comment }) => repeatsNames(comment, described))
  return [
    ...names,
    ...repeats.map(({ line, names: [name = ""] }): Violation => {
      return { rule: "comment", path, line, message: `The comment only repeats \`${name}\`: delete it, or say why.` }
    })
  ]
}

/** The first two folders of a path, which is how rooms are counted. */
const roomOf = (path: string): string => path.split("/").slice(0, -1).slice(0, 2).join("/") || "src"

/** How often each room breaks each rule. */
export const countsOf = (violations: ReadonlyArray<Violation>): Allowances => {
  const counts: Record<string, Record<string, number>> = {}
  for (const { path, rule } of violations) {
    const rooms = (counts[rule] ??= {})
    rooms[roomOf(path)] = (rooms[roomOf(path)] ?? 0) + 1
  }
  return counts
}

/** The violations of rooms that break a rule more often than they may. */
export const excess = (violations: ReadonlyArray<Violation>, allowances: Allowances): ReadonlyArray<Violation> => {
  const counts = countsOf(violations)
  return violations.filter(
    ({ path, rule }) => (counts[rule]?.[roomOf(path)] ?? 0) > (allowances[rule]?.[roomOf(path)] ?? 0)
  )
}

/** Allowances that are no higher than before and no higher than needed. A rule that is new begins with its counts. */
export const lowered = (allowances: Allowances, counts: Allowances): Allowances =>
  Object.fromEntries(
    Object.entries(counts).map(([rule, rooms]) => {
      const before = allowances[rule]
      const lower = Object.entries(rooms).map(
        ([room, count]) => [room, before === undefined ? count : Math.min(count, before[room] ?? 0)] as const
      )
      return [rule, Object.fromEntries(lower.filter(([, count]) => count > 0).sort(([a], [b]) => a.localeCompare(b)))]
    })
  )

export const allowancesFile = fileURLToPath(new URL("scripts/lint/allowances.json", root))

export const readAllowances = (): Allowances => JSON.parse(readFileSync(allowancesFile, "utf8")) as Allowances

/** Every violation in src. */
export const sourceViolations = (): ReadonlyArray<Violation> => {
  const refused = refusedWords(readFileSync(new URL("docs/internals/glossary.md", root), "utf8"))
  const source = fileURLToPath(new URL("src/", root))
  return globSync("**/*.ts", { cwd: source })
    .filter((path) => !/(?:^|\/)(?:dist|node_modules)\//.test(path))
    .sort()
    .flatMap((path) => violationsIn(path, readFileSync(`${source}${path}`, "utf8"), refused))
}
