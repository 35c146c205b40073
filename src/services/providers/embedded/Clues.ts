/**
 * What a text gives to look for, and what it asks for: a file to be written and a command to be run. Only a clear order counts;
 * a question about writing is a question.
 */
import { languageOf } from "../../../domain/files/Language.ts"
import { fencedBlocks } from "../../../domain/markdown/Outline.ts"

/** A file with the line that was named with it. */
export interface PathClue {
  readonly path: string
  readonly line?: number | undefined
}

/** Words that tell nothing about the subject of a request. */
const fillers = new Set(
  `about above across add after again all already also and another any anything anywhere are around ask because been
  before being between both but can call class code could create current declare declared define defined defines
  definition detail details did different docs documentation documented does doing done down each either else every
  everything exactly example explain file files find finds first folder for from full function functions get gets give
  gives goes had happen happens has have help her here his hold holds how implementation implemented important include
  including inside instead into its itself just keep kind know last less let like line lines list long look made main
  make makes many mean means mention method might module modules more most much must name named need needed needs never
  new next not nothing now off often once one only open other our out output over own part path place please point
  possible project prompt put question read really repo repository result results right run same say says search see
  set several she should show shows since some something source still such summarise summarize summary take tell text
  than that the their them then there these they thing things this those through time times together too two type under
  understand until use used uses using value various very want was way well were what when where whether which while
  who whole whose why will with within without word words work working works would write written you your`.split(/\s+/)
)

/** Long words that code abbreviates; the short form stands in the long one too. */
const shortForm =
  /^(?:config(?=urat)|auth(?=enticat|oriz)|init(?=iali)|param(?=eter)|admin(?=istrat)|a?sync(?=hron)|spec(?=ificat)|env(?=ironment)|dir(?=ector)|repo(?=sitor)|temp(?=orar))/

/** The part of a word that its other forms share: `loaded` gives `load`, `configuration` gives `config`. */
export const stemOf = (word: string): string => {
  const lower = word.toLowerCase()
  const ended = /^(.{4,}?)(?:ations?|ments?|ings?|ies|ied|ed)$/.exec(lower)?.[1]?.replace(/([^aeiouls])\1$/, "$1")
  const singular = /..(?:[sxz]|[cs]h)es$/.test(lower) ? lower.slice(0, -2) : lower.replace(/(?<=..[^su])s$/, "")
  return shortForm.exec(lower)?.[0] ?? ended ?? singular
}

/** How many of the words stand in a string about a tool or a skill, in any form. */
export const sharedWords = (about: string, words: ReadonlyArray<string>): number => {
  const own = new Set((about.match(/\p{L}{3,}/gu) ?? []).map(stemOf))
  return new Set(words.map(stemOf).filter((stem) => own.has(stem))).size
}

const quotes = /`+([^`\n]+)`+|"([^"\n]+)"|“([^”\n]+)”|(?<=^|[\s(])'([^'\n]+)'(?=$|[\s).,;:?!])/g

const quotedIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(quotes)].map((match) => match.slice(1).join("").trim()).filter((one) => /[\p{L}\d]/u.test(one))

/** `--flag`, `camelCase`, `PascalCase`, `snake_case`, `CONSTANT`, `call()`, `kebab-case`. */
const names =
  /(?<!\S)--[a-z][\w-]+|\b(?:[A-Za-z]+[a-z0-9][A-Z]\w*|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+|[A-Z][A-Z0-9]{2,}\b|[A-Za-z_]\w+(?=\(\)))|(?<![\w-])[a-z]+(?:-[a-z0-9]+)+\b/g

/** A segment may hold a part in brackets, as routes of web frameworks do: `app/[id]/page.tsx`. */
const pathShape =
  /(?<![\w./@-])((?:\.{1,2}\/|\/)?(?:(?:[\w.@-]|\[[\w.-]+\])+\/)*(?:[\w.@-]|\[[\w.-]+\])*\w\.[A-Za-z]\w{0,9})(?:#L(\d+)|:(\d+))?(?![\w/])/g

const isFile = (path: string): boolean =>
  (path.includes("/") || languageOf(path) !== "") && !/^(?:node|next|nuxt|vue|react|express|three|d3)\.js$/i.test(path)

const wordsIn = (text: string): ReadonlyArray<string> =>
  (text.match(/[\p{L}\d]+(?:'\p{L}+)?/gu) ?? [])
    .filter((word) => word.length > 2 && /^[^']*\p{L}[^']*$/u.test(word) && !fillers.has(word.toLowerCase()))
    .map(stemOf)
    .sort((a, b) => b.length - a.length)

const without = (text: string, parts: ReadonlyArray<string>): string =>
  parts.reduce((rest, part) => rest.replaceAll(part, " "), text)

/** Reads a sentence or a whole request. */
export const readClues = (text: string) => {
  const urls = (text.match(/https?:\/\/[^\s<>()[\]"'`]+/g) ?? []).map((url) => url.replace(/[.,;:!?]+$/, ""))
  const plain = without(text, urls)
  const found = [...plain.matchAll(pathShape)].filter(([, path = ""]) => isFile(path))
  const paths: ReadonlyArray<PathClue> = found
    .filter(([, path], index) => found.findIndex(([, other]) => other === path) === index)
    .map(([, path = "", hash, colon]) => ({ path, line: Number(hash ?? colon) || undefined }))
  const prose = found.reduce((rest, [whole]) => rest.replaceAll(whole, " "), plain)
  const quoted = quotedIn(prose)
  const unquoted = without(prose, quoted)
  const named = unquoted.match(names) ?? []
  const definite = [...quoted.filter((one) => one.length <= 60), ...named]
  // Names tell more than words: beside two of them no word is worth a search.
  const remaining = definite.length === 0 ? Infinity : Math.max(0, 2 - new Set(definite).size)
  const words = wordsIn(without(unquoted, named)).slice(0, remaining)
  return {
    /** What to search for, the most telling first. */
    terms: [...new Map([...definite, ...words].map((term) => [term.toLowerCase(), term])).values()],
    paths,
    urls: [...new Set(urls)],
    quoted,
    numbers: (unquoted.match(/(?<![\w.])\d+(?![\w.])/g) ?? []).map(Number)
  }
}
export type Clues = ReturnType<typeof readClues>

export interface Request extends Clues {
  readonly text: string
  readonly command: string | undefined
  /** A file to write; without `content` it is made from what is found. */
  readonly file: (PathClue & { readonly content?: string | undefined }) | undefined
}

/** What follows a verb at the beginning of a sentence or after "and", "then", "please". */
const order = (verbs: string): RegExp =>
  new RegExp(String.raw`(?:^|[.!?;:,\n]\s*|\b(?:and|then|please|(?:can|could|would) you)\s+)(?:${verbs})\b(.*)$`, "is")
const writeOrder = order("write|create|save|store|generate|put|add")
const runOrder = order("run|execute")

const target = /\b(?:to|into|in|as|called|named|file)\s+["'`]?$/i
const content = /\b(?:with|containing|contains?|contents?|text|says|saying|lines?|words?)\b/i

const fileIn = (text: string): Request["file"] => {
  const [ordered = ""] = writeOrder.exec(text)?.[1]?.split(/^\s*(?:```|~~~)/m) ?? []
  const paths = readClues(ordered).paths.map((one) => one.path)
  const named = paths.findLast((one) => target.test(ordered.slice(0, ordered.indexOf(one))))
  const path = named ?? (paths.length === 1 ? paths[0] : undefined)
  if (path === undefined) return undefined
  const quoted = content.test(ordered) ? quotedIn(ordered.replaceAll(path, " ")).at(-1) : undefined
  return { path, content: fencedBlocks(text)[0]?.text ?? quoted }
}

/** Files that are to be written or that the command names are not looked for; the command stands in quotes. */
export const readRequest = (text: string): Request => {
  const clues = readClues(text)
  const file = fileIn(text)
  const command = quotedIn(runOrder.exec(text)?.[1] ?? "")[0]
  const taken = new Set([file?.path, ...(command?.split(/\s+/) ?? [])])
  return { ...clues, paths: clues.paths.filter(({ path }) => !taken.has(path)), text, command, file }
}
