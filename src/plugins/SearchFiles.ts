/**
 * The tool `search_files`: lines of the project that hold a text or match a regular expression. It reads only text files
 * inside the project that git does not ignore, that do not look like secrets, and that the rules allow to be read.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import {
  findMatches,
  isSecretLike,
  type LineMatch,
  type SearchPattern,
  showMatches,
  Workspace,
  definePlugin,
  foldersOf,
  matchesGlob,
  type Plugin,
  searchPattern,
  tool,
  ToolFailure
} from "../plugin-kit.ts"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { filesBelow } from "./FileTree.ts"

const filesAtOnce = 16

interface SearchOrder {
  /** Paths relative to the project. */
  readonly files: ReadonlyArray<string>
  readonly pattern: SearchPattern
  /** How many lines before and after each match are shown. */
  readonly context: number
  readonly maxMatches: number
  /** Of what is shown, with paths. */
  readonly maxCharacters: number
  readonly maxFileBytes: number
  /** Milliseconds since 1970. */
  readonly deadline: number
}

/** What was found, and what was not searched. */
interface SearchProgress {
  readonly shown: Array<string>
  /** What ended the search before all files were searched. */
  readonly ended?: "matches" | "characters" | "time"
  searched: number
  readonly skipped: { secret: number; large: number; denied: number }
}

/** The lines of a file of the project; none when it is not text or no longer exists. Links out of the project are denied. */
const readLines = Effect.fnUntraced(function* (file: string, maxBytes: number, { skipped }: SearchProgress) {
  const workspace = yield* Workspace
  if (isSecretLike(file)) {
    skipped.secret += 1
    return []
  }
  return yield* Effect.match(workspace.readText(`${workspace.root}/${file}`, maxBytes), {
    onSuccess: (text) => text.split(/\r?\n/),
    onFailure: ({ type }) => {
      if (type === "output_limit") skipped.large += 1
      if (type === "permission_denied") skipped.denied += 1
      return []
    }
  })
})

/** At most `wanted` matches; fewer than there are once the time is over. */
const matchesIn = Effect.fnUntraced(function* (lines: ReadonlyArray<string>, order: SearchOrder, wanted: number) {
  const matches: Array<LineMatch> = []
  for (let next = 0; next < lines.length && matches.length < wanted;) {
    if ((yield* Clock.currentTimeMillis) >= order.deadline) return { matches, isComplete: false }
    const part = findMatches(lines, order.pattern, next, wanted - matches.length)
    matches.push(...part.found)
    next = part.next
    yield* Effect.yieldNow
  }
  return { matches, isComplete: true }
})

export const searchText = Effect.fn("searchText")(function* (order: SearchOrder) {
  const { context, files, maxFileBytes, maxMatches } = order
  const progress: SearchProgress = { shown: [], searched: 0, skipped: { secret: 0, large: 0, denied: 0 } }
  let matchesLeft = maxMatches
  let charactersLeft = order.maxCharacters
  const readBatch = (start: number) =>
    Effect.forEach(files.slice(start, start + filesAtOnce), (file) => readLines(file, maxFileBytes, progress), {
      concurrency: filesAtOnce
    })
  let batch: ReadonlyArray<ReadonlyArray<string>> = []
  for (const [index, file] of files.entries()) {
    if (index % filesAtOnce === 0) batch = yield* readBatch(index)
    const lines = batch[index % filesAtOnce] ?? []
    /* One more than requested shows whether there are more. */
    const { isComplete, matches } = yield* matchesIn(lines, order, matchesLeft + 1)
    for (const line of showMatches(file, lines, matches.slice(0, matchesLeft), context)) {
      charactersLeft -= line.length + 1
      if (charactersLeft < 0) return { ...progress, ended: "characters" as const }
      progress.shown.push(line)
    }
    if (matches.length > matchesLeft) return { ...progress, ended: "matches" as const }
    if (!isComplete) return { ...progress, ended: "time" as const }
    matchesLeft -= matches.length
    progress.searched += 1
  }
  return progress
})

const defaultResults = 50
const maxCharacters = 16_000
const defaultTime: Duration.Input = "5 seconds"

const Parameters = Schema.Struct({
  pattern: Schema.NonEmptyString.check(Schema.isMaxLength(1000)).annotate({
    description: "The text to look for, as it is; with `regex` a regular expression."
  }),
  path: Schema.optionalKey(Schema.String.annotate({ description: "The file or folder to search." })),
  glob: Schema.optionalKey(
    Schema.NonEmptyString.check(Schema.isMaxLength(1000)).annotate({
      description: "Searches only files like `src/**/*.ts` or `*.{ts,tsx}`."
    })
  ),
  regex: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether the pattern is a regular expression (RE2). Default: false."
    })
  ),
  case_sensitive: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether letter case matters. Default: false." })
  ),
  context: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })).annotate({
      description: "Lines to show before and after each match. Default: 0."
    })
  ),
  max_results: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).annotate({
      description: `The most matches to return. Default: ${defaultResults}.`
    })
  )
})
type Parameters = typeof Parameters.Type

const readPattern = ({ case_sensitive = false, pattern, regex = false }: Parameters) =>
  Effect.fromResult(searchPattern(pattern, { regex, caseSensitive: case_sensitive })).pipe(
    Effect.mapError((problem) => {
      const message = `The regular expression ${JSON.stringify(pattern)} cannot be used: ${problem}. Correct it, or leave regex out.`
      return new ToolFailure({ type: "validation_failed", message })
    })
  )

const chooseFiles = Effect.fnUntraced(function* ({ glob, path = "" }: Parameters) {
  const { files } = yield* filesBelow(path, (all) => [...foldersOf(all), ...all])
  return glob === undefined ? files : files.filter(matchesGlob(glob))
})

const count = (files: number): string => (files === 1 ? "1 file" : `${files} files`)

/** Notes after the lines: that there are none, that there are more, what was not searched. */
const notesOf = (params: Parameters, files: number, { ended, searched, shown, skipped }: SearchProgress) => {
  const { glob, max_results: limit = defaultResults, path, pattern, regex } = params
  const place = `${path === undefined ? "" : ` below ${path}`}${glob === undefined ? "" : ` like ${glob}`}`
  const verb = regex === true ? "matches" : "holds"
  const endings = {
    matches: `(Only the first ${limit} lines are shown. Narrow the pattern or the path.)`,
    characters: `(Only the first ${maxCharacters} characters are shown. Narrow the pattern or the path.)`,
    time: `(The time was over after ${searched} of ${count(files)}. Narrow the path, or simplify the pattern.)`
  }
  const left = (number: number, why: string) => (number === 0 ? [] : [`(Not searched, ${why}: ${count(number)}.)`])
  return [
    ...(shown.length === 0 && ended === undefined
      ? [`No line of the ${count(files)}${place} ${verb} ${JSON.stringify(pattern)}.`]
      : []),
    ...(ended === undefined ? [] : [endings[ended]]),
    ...left(skipped.secret, "looks like a secret"),
    ...left(skipped.denied, "not permitted to be read"),
    ...left(skipped.large, "too large")
  ]
}

/** Files above `maxBytes` are not searched; after `time` a search ends with what it has. */
export const searchFiles = (maxBytes: number, time = defaultTime): Plugin =>
  definePlugin({
    name: "search-files",
    tools: Effect.succeed({
      search_files: tool({
        description: `Finds the lines of the project that hold a text, as \`path:line: text\`. Returns ${defaultResults} lines, at most ${maxCharacters} characters, and says when there is more.`,
        parameters: Parameters,
        risk: "safe",
        effect: "pure",
        example: { pattern: "parseConfig", path: "src" },
        errors: {
          validation_failed: "The regular expression cannot be used; the message says where it is wrong.",
          not_found: "`path` is neither a file nor a folder of the project; the message names the nearest."
        },
        execute: Effect.fnUntraced(function* (params: Parameters) {
          const pattern = yield* readPattern(params)
          const files = yield* chooseFiles(params)
          const found = yield* searchText({
            files,
            pattern,
            context: params.context ?? 0,
            maxMatches: params.max_results ?? defaultResults,
            maxCharacters,
            maxFileBytes: maxBytes,
            deadline: (yield* Clock.currentTimeMillis) + Duration.toMillis(time)
          })
          return [...found.shown, ...notesOf(params, files.length, found)].join("\n")
        })
      })
    })
  })
