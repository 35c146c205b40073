/**
 * The tool `search_files`: lines of the project that hold a text. It reads only what lies inside the project, is text,
 * is not ignored by git and does not look like a secret.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isSecretLike } from "../domain/SensitivePath.ts"
import { builtInOrigin, definePlugin, type Plugin, tool } from "../services/Plugin.ts"
import { Workspace } from "../services/Workspace.ts"
import { isBelow } from "./FolderPrefix.ts"

const defaultResults = 50
const maxLineLength = 300
const aroundMatch = 100

const Parameters = Schema.Struct({
  pattern: Schema.NonEmptyString.annotate({ description: "The text to look for, as it is; not a regular expression." }),
  path: Schema.optionalKey(
    Schema.String.annotate({ description: "A file or folder of the project; only what lies below it is searched." })
  ),
  case_sensitive: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether letter case matters. Default: false." })
  ),
  max_results: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).annotate({
      description: `The most lines to return. Default: ${defaultResults}.`
    })
  )
})
type Parameters = typeof Parameters.Type

/** A long line is shown around its match. */
const shorten = (line: string, at: number): string => {
  if (line.length <= maxLineLength) return line
  const start = Math.max(0, at - aroundMatch)
  const end = Math.min(line.length, start + maxLineLength)
  return `${start > 0 ? "..." : ""}${line.slice(start, end)}${end < line.length ? "..." : ""}`
}

/** The matching lines of one file, as `path:line: text`; at most `limit`. */
const matchesIn = (path: string, text: string, find: (line: string) => number, limit: number) => {
  const found: Array<string> = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const at = find(line)
    if (at !== -1) found.push(`${path}:${index + 1}: ${shorten(line, at)}`)
    if (found.length === limit) break
  }
  return found
}

const finder = ({ case_sensitive, pattern }: Parameters): ((line: string) => number) => {
  if (case_sensitive === true) return (line) => line.indexOf(pattern)
  const sought = pattern.toLowerCase()
  return (line) => line.toLowerCase().indexOf(sought)
}

const search = Effect.fnUntraced(function* (params: Parameters, maxBytes: number) {
  const workspace = yield* Workspace
  const find = finder(params)
  const limit = params.max_results ?? defaultResults
  const files = (yield* workspace.tree).filter(isBelow(params.path ?? ""))
  const found: Array<string> = []
  const skipped = { secret: 0, large: 0 }
  for (const file of files) {
    if (found.length > limit) break
    if (isSecretLike(file)) {
      skipped.secret += 1
      continue
    }
    /* A link that goes round in a circle leads to no file. */
    const real = yield* Effect.option(workspace.canonical(file))
    if (Option.isNone(real) || !real.value.inside || isSecretLike(real.value.path)) continue
    const text = yield* Effect.result(workspace.readText(real.value.path, maxBytes))
    /* One more than asked for tells whether there are more. */
    if (Result.isSuccess(text)) found.push(...matchesIn(file, text.success, find, limit + 1 - found.length))
    else if (text.failure.type === "output_limit") skipped.large += 1
  }
  return { found, limit, skipped, files: files.length }
})

/** Files above `maxBytes` are not searched. */
export const searchFiles = (maxBytes: number): Plugin =>
  definePlugin({
    name: builtInOrigin,
    tools: Effect.succeed({
      search_files: tool({
        description:
          "Finds lines that hold a text in the files of the project and returns them as `path:line: text`. Use it to find where something is.",
        parameters: Parameters,
        risk: "safe",
        effect: "pure",
        example: { pattern: "parseConfig", path: "src" },
        execute: Effect.fnUntraced(function* (params: Parameters) {
          const { files, found, limit, skipped } = yield* search(params, maxBytes)
          const place = params.path === undefined ? "" : ` below ${params.path}`
          const notes = [
            ...(found.length === 0
              ? [`No line of the ${files} files${place} holds ${JSON.stringify(params.pattern)}.`]
              : []),
            ...(found.length > limit
              ? [`(Only the first ${limit} lines are shown. Narrow the pattern or the path.)`]
              : []),
            ...(skipped.secret > 0 ? [`(Not searched: ${skipped.secret} files that look like secrets.)`] : []),
            ...(skipped.large > 0 ? [`(Not searched: ${skipped.large} files that are too large.)`] : [])
          ]
          return [...found.slice(0, limit), ...notes].join("\n")
        })
      })
    })
  })
