/**
 * The tool `search_files`: finds lines by a text or a regular expression, in the project's text files that the rules
 * allow. Skips files that git ignores or that look like secrets.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import {
  chooseRows,
  enclosingNames,
  findMatches,
  foldersOf,
  hasNames,
  isFileAt,
  isSecretLike,
  languageOf,
  type LineMatch,
  matchesGlob,
  type SearchPattern,
  searchPattern,
  type SearchRows,
  showMatches,
  type SkippedFile,
  tool,
  type ToolErrorType,
  ToolFailure,
  Workspace
} from "../../plugin-kit.ts"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { filesBelow } from "./FileTree.ts"
import { between, optional } from "./parameters.ts"
import { type SearchEnd, searchOutput, type SearchTime } from "./SearchOutput.ts"

const filesAtOnce = 16

interface SearchOrder {
  /** Paths relative to the project. */
  readonly files: ReadonlyArray<string>
  readonly pattern: SearchPattern
  /**
   * How many lines are shown around each match. If undefined, only a search with few matches shows such lines, and only
   * if all matches are in code or prose.
   */
  readonly context: number | undefined
  readonly maxMatches: number
  /** The maximum length of the output in characters, including paths. */
  readonly maxCharacters: number
  readonly maxFileBytes: number
  /** When the search must stop, in milliseconds since 1970. */
  readonly deadline: number
}

/** The matching lines of a file. */
interface FoundFile {
  readonly file: string
  readonly matches: ReadonlyArray<LineMatch>
  readonly lines: ReadonlyArray<string>
}

/** The matches of a file, up to the deadline. */
const matchesIn = Effect.fnUntraced(function* (lines: ReadonlyArray<string>, order: SearchOrder) {
  const matches: Array<LineMatch> = []
  for (let next = 0; next < lines.length;) {
    if ((yield* Clock.currentTimeMillis) >= order.deadline) return { matches, isComplete: false }
    const part = findMatches(lines, order.pattern, next, lines.length)
    for (const match of part.matches) matches.push(match)
    next = part.next
    yield* Effect.yieldNow
  }
  return { matches, isComplete: true }
})

/** Characters reserved for the line that names a match's declaration. */
const nameReserve = 30

/** The matches of a file, each with its length in the output in characters. */
const searchRows = ({ file, lines, matches }: FoundFile, context: number): SearchRows => {
  const reserve = hasNames(languageOf(file)) ? nameReserve : 0
  const rows = matches.map((match) => ({
    line: lines[match.index] ?? "",
    size: showMatches(file, lines, [match], context).reduce((sum, row) => sum + row.length + 1, reserve)
  }))
  return { path: file, rows }
}

/** If there are at most this many matches, the lines around them are shown, because the model would read these next. */
const fewMatches = 2
const linesAroundFew = 3

const usualContext = (matchedFiles: ReadonlyArray<FoundFile>): number => {
  const total = matchedFiles.reduce((sum, { matches }) => sum + matches.length, 0)
  return total <= fewMatches && matchedFiles.every(({ file }) => hasNames(languageOf(file))) ? linesAroundFew : 0
}

/**
 * Chooses the matches to show, in the order of files. A line such as `(in Schema.validate)` names the declarations
 * around the matches below it, up to the next such line or `--`.
 */
const spread = (matchedFiles: ReadonlyArray<FoundFile>, order: SearchOrder) => {
  const { context = usualContext(matchedFiles), maxCharacters, maxMatches } = order
  const all = matchedFiles.map((one) => searchRows(one, context))
  const chosen = chooseRows(all, { rows: maxMatches, characters: maxCharacters })
  const blocks = matchedFiles.flatMap(({ file, lines, matches }, position) => {
    const indexes = chosen[position] ?? []
    if (indexes.length === 0) return []
    const namesAt = enclosingNames(lines, languageOf(file))
    const groups: Array<{ readonly names: Array<string>; readonly matches: Array<LineMatch> }> = []
    for (const match of indexes.flatMap((index) => matches[index] ?? [])) {
      const name = namesAt(match.index)
      const group = groups.at(-1)
      const previous = group?.matches.at(-1)?.index ?? -Infinity
      // Matches whose lines of context overlap are shown together, so that no line is shown twice.
      const isNear = context > 0 && match.index - previous <= 2 * context
      if (group !== undefined && (group.names.at(-1) === name || isNear)) {
        group.names.push(name)
        group.matches.push(match)
      } else groups.push({ names: [name], matches: [match] })
    }
    const headings = groups.map(({ names }) => {
      const some = [...new Set(names)].filter((name) => name !== "").join(", ")
      return some === "" ? [] : [`(in ${some})`]
    })
    return groups.map((group, at) => {
      const rows = showMatches(file, lines, group.matches, context)
      // If this group has no heading and no lines of context separate it from the previous group, `--` ends the heading
      // of that group.
      const isEnd = context === 0 && headings[at]?.length === 0 && (headings[at - 1] ?? []).length > 0
      return (isEnd ? ["--"] : (headings[at] ?? [])).concat(rows)
    })
  })
  const files = matchedFiles.map(({ file, matches }, position) => ({
    file,
    matches: matches.length,
    shownMatches: chosen[position]?.length ?? 0
  }))
  return { rows: blocks.map((lines) => lines.join("\n")).join(context > 0 ? "\n--\n" : "\n"), files }
}

const skipReasons: Partial<Record<ToolErrorType, SkippedFile["reason"]>> = {
  output_limit: "large",
  permission_denied: "denied",
  parse_error: "binary"
}

const sorted = (skipped: ReadonlyArray<SkippedFile>): ReadonlyArray<SkippedFile> =>
  skipped.toSorted((a, b) => (a.path < b.path ? -1 : 1))

/**
 * Searches files until the deadline. Returns the matches with the lines around them, and says what was not searched.
 */
export const searchText = Effect.fn("searchText")(function* (
  order: SearchOrder
): Effect.fn.Return<SearchEnd, never, Workspace> {
  const { files, maxFileBytes } = order
  const workspace = yield* Workspace
  const { readText, root } = workspace
  const matched: Array<FoundFile> = []
  const skipped: Array<SkippedFile> = []
  const skip = (path: string, reason: SkippedFile["reason"] | undefined): ReadonlyArray<string> => {
    if (reason !== undefined) skipped.push({ path, reason })
    return []
  }
  /** The lines of a file. Empty for a skipped or missing file. A link out of the project is denied. */
  const readLines = Effect.fnUntraced(function* (file: string) {
    if (isSecretLike(file)) return skip(file, "secret")
    const text = yield* Effect.result(readText(`${root}/${file}`, maxFileBytes))
    if (Result.isSuccess(text)) return text.success.split(/\r?\n/)
    const { type } = text.failure
    /* A link to a folder is skipped silently, because its files are listed under their own paths. */
    const isUnreadable = type === "io_error" && (yield* isFileAt(workspace, `${root}/${file}`))
    return skip(file, isUnreadable ? "unreadable" : skipReasons[type])
  })
  let batch: ReadonlyArray<ReadonlyArray<string>> = []
  for (const [searched, file] of files.entries()) {
    const at = searched % filesAtOnce
    if (at === 0) {
      const next = files.slice(searched, searched + filesAtOnce)
      batch = yield* Effect.forEach(next, readLines, { concurrency: filesAtOnce })
    }
    const lines = batch[at] ?? []
    const { isComplete, matches } = yield* matchesIn(lines, order)
    if (matches.length > 0) matched.push({ file, lines, matches })
    if (!isComplete) return { ...spread(matched, order), searched, skipped: sorted(skipped), ended: "time" as const }
  }
  return { ...spread(matched, order), searched: files.length, skipped: sorted(skipped), ended: undefined }
})

const defaultResults = 50
const maxCharacters = 16_000

/**
 * The search stops this many seconds before its time limit, to leave time for the output. It may always use three
 * fifths of the limit.
 */
const secondsToShow = 3

const searchMillis = ({ seconds }: SearchTime): number => Math.max(seconds - secondsToShow, seconds * 0.6) * 1000

const Parameters = Schema.Struct({
  pattern: Schema.NonEmptyString.check(Schema.isMaxLength(1000)).annotate({
    description: "The text, as it is; with `regex` a regular expression."
  }),
  path: optional(Schema.String, "A file or folder."),
  glob: optional(
    Schema.NonEmptyString.check(Schema.isMaxLength(1000)),
    "Only files like `src/**/*.ts` or `*.{ts,tsx}`."
  ),
  regex: optional(Schema.Boolean, "The pattern is a regular expression (RE2). Default: false."),
  case_sensitive: optional(
    Schema.Boolean,
    "Letter case matters. Default: only for a pattern with capitals that is found as written."
  ),
  context: optional(
    between(0, 5),
    `Lines before and after each match. Default: 0; ${linesAroundFew} for up to ${fewMatches} matches in code.`
  ),
  max_results: optional(between(1, 1000), `The most matches. Default: ${defaultResults}.`)
})
type Parameters = typeof Parameters.Type

const readPattern = ({ case_sensitive = false, pattern, regex = false }: Parameters) =>
  Effect.fromResult(searchPattern(pattern, { regex, caseSensitive: case_sensitive })).pipe(
    Effect.mapError((problem) => {
      const message = `The regular expression ${JSON.stringify(pattern)} cannot be used: ${problem}. Correct it, or leave regex out.`
      return new ToolFailure({ type: "validation_failed", message })
    })
  )

/** The files that a glob means. Models write `!*.md` for all files except these. */
const meantBy = (glob = "**"): ((path: string) => boolean) => {
  const matches = matchesGlob(glob.replace(/^!/, ""))
  return glob.startsWith("!") ? (path) => !matches(path) : matches
}

/** True for a text that looks like a regular expression. */
const looksRegular = /\||\.[*+?]|\\[bdswBDSW]|^\^|\$$|\[[^\]]+\][+*?]?/

/** True for a pattern with a capital letter, except in escapes of regular expressions such as `\\W` and `\\p{Lu}`. */
const hasCapital = (pattern: string): boolean => /\p{Lu}/u.test(pattern.replace(/\\(?:[pP]\{\^?\w+\}|.)/g, ""))

/**
 * The searches to try until one finds something. If the pattern has a capital letter, letter case counts at first. If
 * it looks like a regular expression, it is first searched as plain text.
 */
const attemptsOf = (parameters: Parameters): ReadonlyArray<Parameters> => {
  const { case_sensitive, pattern, regex } = parameters
  const cases = case_sensitive !== undefined ? [case_sensitive] : hasCapital(pattern) ? [true, false] : [false]
  const kinds = regex !== undefined ? [regex] : looksRegular.test(pattern) ? [false, true] : [false]
  return kinds.flatMap((one) =>
    cases.map((isExact) => Object.assign({}, parameters, { regex: one, case_sensitive: isExact }))
  )
}

/** The tool `search_files`. Skips files larger than `maxBytes`. */
export const searchFiles = (maxBytes: number, time: SearchTime) =>
  tool({
    description:
      "Finds the lines of the project that hold a text, as `path:line: text`, spread over the files, after how many there are.",
    parameters: Parameters,
    risk: "safe",
    effect: "pure",
    example: { pattern: "parseConfig", path: "src" },
    errors: {
      validation_failed: "The regular expression cannot be used; the message says where it is wrong.",
      not_found: "`path` is neither a file nor a folder of the project; the message names the nearest."
    },
    execute: Effect.fnUntraced(function* (parameters: Parameters) {
      const deadline = (yield* Clock.currentTimeMillis) + searchMillis(time)
      const { listing } = yield* filesBelow(parameters.path ?? "", (all) => [...foldersOf(all), ...all])
      const isMeant = meantBy(parameters.glob)
      const files = listing.files.filter(isMeant)
      const narrowed = { ...listing, files, passedOver: listing.passedOver.filter(isMeant) }
      const search = Effect.fnUntraced(function* (params: Parameters) {
        const searchEnd = yield* searchText({
          files,
          pattern: yield* readPattern(params),
          context: params.context,
          maxMatches: params.max_results ?? defaultResults,
          maxCharacters,
          maxFileBytes: maxBytes,
          deadline
        })
        return { searchEnd, resultText: yield* searchOutput(params, files.length, searchEnd, narrowed, time) }
      })
      let text = ""
      for (const attempt of attemptsOf(parameters)) {
        const isGuess = attempt.regex === true && parameters.regex === undefined
        const result = isGuess ? yield* Effect.option(search(attempt)) : Option.some(yield* search(attempt))
        if (Option.isNone(result)) continue
        const { resultText, searchEnd } = result.value
        if (searchEnd.files.length > 0 && isGuess) {
          return `${resultText}\n(No line holds the pattern as it is, so it was searched as a regular expression.)`
        }
        if (!isGuess) text = resultText
        if (searchEnd.files.length > 0 || searchEnd.ended !== undefined) return text
      }
      return text
    })
  })
