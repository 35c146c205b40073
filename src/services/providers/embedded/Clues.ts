/**
 * What a sentence gives to look for: quoted words, names from code, paths, URLs, and the stems of what is left when the
 * filler words are gone. The embedded model has no other understanding of a text.
 */
import { languageOf } from "../../../domain/files/Language.ts"

/** A file with the line that was named with it. */
export interface PathClue {
  readonly path: string
  readonly line?: number | undefined
}

export interface Clues {
  /** What to search for, the most telling first. */
  readonly terms: ReadonlyArray<string>
  readonly paths: ReadonlyArray<PathClue>
  readonly urls: ReadonlyArray<string>
  /** Texts in quotes or backticks, as they stand. */
  readonly quoted: ReadonlyArray<string>
  readonly numbers: ReadonlyArray<number>
}

/** Words that tell nothing about the subject of a request. */
const fillers = new Set(
  `a about above across add after again all already also an and another any anything anywhere are around as ask asks at
  available back bad based be bear bears because been before begin being below best better between both but by call can class code
  come could create current declare declared define defined defines definition detail details did different do docs documentation documented does doing done down each either else end every everything
  exactly example explain fact few file files find finding finds found first folder follow following for from full function functions
  get gets give given gives go goes good had happen happens has have having he help her here high his hold holds how i if
  implementation implemented important in including inside instead into is it its itself just keep kind know known large
  last least less let like line lines list little long look looking made main make makes many mean means mention method
  might module modules more most much must my name named need needed needs new next no not note nothing now of off often on once
  one only onto open or other our out output over own part parts path place places please point possible project prompt
  provide put question read reading really repo repository result results right run same save say says search second see
  set several shall she should show shows since small so some something source specific still such
  summarise summarize summary sure take tell text than that the their them then there these they thing things this those
  three through time times to together too two type under understand until up upon us use used user uses using usually
  value various very want was way we well were what when where whether which while who whole whose why will with within
  without word words work working works would write written you your`.split(/\s+/)
)

const unique = (values: ReadonlyArray<string>): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return values.filter((value) => !seen.has(value.toLowerCase()) && seen.add(value.toLowerCase()))
}

/** Long words that code abbreviates; the short form stands in the long one too. */
const shortForms =
  /^(config)urat|^(auth)(?:enticat|oriz)|^(init)iali|^(param)eter|^(admin)istrat|^(async)hron|^(sync)hron|^(spec)ificat|^(env)ironment|^(dir)ector|^(repo)sitor|^(temp)orar/

const endings = ["ations", "ation", "ments", "ment", "ings", "ing", "ies", "ied", "ed"]

/** The part of a word that its other forms share: `loaded` gives `load`, `configuration` gives `config`. */
export const stemOf = (word: string): string => {
  const lower = word.toLowerCase()
  const short = shortForms
    .exec(lower)
    ?.slice(1)
    .find((form) => form !== undefined)
  if (short !== undefined) return short
  const ending = endings.find((one) => lower.endsWith(one) && lower.length - one.length >= 4)
  if (ending !== undefined) {
    const stem = lower.slice(0, -ending.length)
    return /([^aeiouls])\1$/.test(stem) ? stem.slice(0, -1) : stem
  }
  if (/(?:s|x|z|ch|sh)es$/.test(lower) && lower.length > 5) return lower.slice(0, -2)
  return /[^su]s$/.test(lower) && lower.length > 3 ? lower.slice(0, -1) : lower
}

/** Names of products that only look like a file. */
const notAFile = /^(?:node|next|nuxt|vue|react|express|three|d3)\.js$/i

/** A segment may hold a part in brackets, as routes of web frameworks do: `app/[id]/page.tsx`. */
const pathShape =
  /(?<![\w./@-])((?:\.{1,2}\/|\/)?(?:(?:[\w.@-]|\[[\w.-]+\])+\/)*(?:[\w.@-]|\[[\w.-]+\])*\w\.[A-Za-z]\w{0,9})(?:#L(\d+)|:(\d+))?(?![\w/])/g

interface FoundPath extends PathClue {
  readonly found: string
}

const pathsIn = (text: string): ReadonlyArray<FoundPath> =>
  [...text.matchAll(pathShape)]
    .map((match): FoundPath => {
      const line = match[2] ?? match[3]
      return { found: match[0], path: match[1] ?? "", line: line === undefined ? undefined : Number(line) }
    })
    .filter(({ path }) => (path.includes("/") || languageOf(path) !== "") && !notAFile.test(path))

const quotes = [/`+([^`\n]+)`+/g, /"([^"\n]+)"/g, /“([^”\n]+)”/g, /(?<=^|[\s(])'([^'\n]+)'(?=$|[\s).,;:?!])/g]

const matches = (text: string, patterns: ReadonlyArray<RegExp>): ReadonlyArray<string> =>
  patterns
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .sort((a, b) => a.index - b.index)
    .map((match) => (match[1] ?? match[0]).trim())
    .filter((found) => found !== "")

/** `camelCase`, `PascalCase`, `snake_case`, `CONSTANT`, `call()`, `--flag`, `kebab-case`. */
const names = [
  /\b[A-Za-z]+[a-z0-9][A-Z]\w*/g,
  /\b[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\b/g,
  /\b[A-Z][A-Z0-9]{2,}\b/g,
  /\b([A-Za-z_]\w+)\(\)/g,
  /(?<!\S)--[a-z][\w-]+/g,
  /(?<![\w-])[a-z]+(?:-[a-z0-9]+)+\b/g
]

const wordsIn = (text: string): ReadonlyArray<string> =>
  (text.match(/[\p{L}\d]+(?:'[\p{L}]+)?/gu) ?? [])
    .filter((word) => word.length > 2 && /\p{L}/u.test(word) && !word.includes("'") && !fillers.has(word.toLowerCase()))
    .map(stemOf)
    .sort((a, b) => b.length - a.length)

const without = (text: string, parts: ReadonlyArray<string>): string =>
  parts.reduce((rest, part) => rest.replaceAll(part, " "), text)

/** Reads a sentence or a whole request. */
export const readClues = (text: string): Clues => {
  const urls = (text.match(/https?:\/\/[^\s<>()[\]"'`]+/g) ?? []).map((url) => url.replace(/[.,;:!?]+$/, ""))
  const plain = without(text, urls)
  const paths = pathsIn(plain)
  const prose = without(
    plain,
    paths.map((path) => path.found)
  )
  const quoted = matches(prose, quotes).filter((one) => /[\p{L}\d]/u.test(one))
  const unquoted = without(prose, quoted)
  const named = matches(unquoted, names)
  const definite = unique([...quoted.filter((one) => one.length <= 60), ...named])
  const words = wordsIn(without(unquoted, named))
  // Names tell more than words: beside two of them no word is worth a search.
  const helpful = definite.length === 0 ? words : words.slice(0, Math.max(0, 2 - definite.length))
  return {
    terms: unique([...definite, ...helpful]),
    paths: paths
      .filter((one, index) => paths.findIndex((other) => other.path === one.path) === index)
      .map(({ line, path }) => ({ path, line })),
    urls: unique(urls),
    quoted,
    numbers: (unquoted.match(/(?<![\w.])\d+(?![\w.])/g) ?? []).map(Number)
  }
}
