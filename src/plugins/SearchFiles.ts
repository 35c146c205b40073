/**
 * The tool `search_files`: lines of the project that hold a text or match a regular expression. It reads only text files
 * inside the project that git does not ignore, that do not look like secrets, and that the rules allow to be read.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { definePlugin, foldersOf, matchesGlob, type Plugin, searchPattern, tool, ToolFailure } from "../plugin-kit.ts"
import { type SearchProgress, searchText } from "./FileSearch.ts"
import { filesBelow } from "./ProjectPath.ts"

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
