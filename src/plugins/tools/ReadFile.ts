/** The tool `read_file`: returns a file, or some of its lines. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  encodingNote,
  FileReads,
  fitLines,
  type LineRange,
  nearestHint,
  nearestPaths,
  numberLines,
  tool,
  ToolFailure,
  Workspace
} from "../../plugin-kit.ts"
import { projectPath } from "./FileTree.ts"
import { optional } from "./parameters.ts"

/**
 * The maximum length of a whole file, in characters: about 4,000 tokens, half of a context window of 8192. A range of
 * lines may be longer.
 */
const wholeCharacters = 16_000
const rangeCharacters = 64_000

const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

const LineNumber = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const Parameters = Schema.Struct({
  path: Schema.NonEmptyString.annotate({ description: "The file, relative to the project or absolute." }),
  start_line: optional(LineNumber, "The first line, from 1."),
  end_line: optional(LineNumber, "The last line."),
  line_numbers: optional(Schema.Boolean, "False leaves the numbers out. Default: true.")
})
type Parameters = typeof Parameters.Type

/** The lines that the call asks for. Undefined for the whole file. */
const rangeOf = ({ end_line, start_line }: Parameters): LineRange | undefined =>
  start_line === undefined && end_line === undefined
    ? undefined
    : { from: start_line ?? 1, to: end_line ?? Number.MAX_SAFE_INTEGER }

const failure = (type: ToolFailure["type"], message: string) => new ToolFailure({ type, message })

/** Formats lines. `first` is the first line's number. */
const shownLines = (lines: ReadonlyArray<string>, first: number, { line_numbers = true }: Parameters) =>
  line_numbers ? numberLines(lines, first) : lines

/** The whole text or the requested lines, cut off at the length limit. */
const narrow = (text: string, params: Parameters): Effect.Effect<string, ToolFailure> => {
  const range = rangeOf(params)
  const isBare = params.line_numbers === false
  if (text === "" && range === undefined) return Effect.succeed(isBare ? "" : "(The file is empty.)")
  if (isBare && range === undefined && text.length <= wholeCharacters) return Effect.succeed(text)
  const lines = linesOf(text)
  const { from, to } = range ?? { from: 1, to: lines.length }
  const last = Math.min(to, lines.length)
  if (from <= last) {
    const most = range === undefined ? wholeCharacters : rangeCharacters
    const shown = shownLines(lines.slice(from - 1, last), from, params)
    const part = fitLines(shown, most, { first: from, of: lines.length })
    const isSaid = isBare || last - from + 1 === lines.length || part !== shown.join("\n")
    return Effect.succeed(
      isSaid ? part : `${part}\n\n(${from === last ? `Line ${from}` : `Lines ${from} to ${last}`} of ${lines.length}.)`
    )
  }
  const asked = to === Number.MAX_SAFE_INTEGER ? `from line ${from} on` : `from line ${from} to line ${to}`
  const held = lines.length === 1 ? "1 line" : `${lines.length} lines`
  return Effect.fail(failure("validation_failed", `${params.path} has ${held}; there are none ${asked}.`))
}

const explainMissing = Effect.fnUntraced(function* ({ path }: Parameters, { message }: ToolFailure) {
  const { root, tree } = yield* Workspace
  const files = yield* Effect.orElseSucceed(tree, () => [])
  return yield* failure("not_found", `${message}${nearestHint(nearestPaths(projectPath(root, path), files))}`)
})

const partBytes = 1_048_576
/** The numbers of first lines to try for a file that is too large. The largest number that fits is used. */
const firstLines = [2000, 200, 20, 1]

/** The beginning of a file that is too large, with a note about its size and how to read on. */
const readStart = Effect.fnUntraced(function* (path: string, params: Parameters, tooLarge: ToolFailure) {
  const workspace = yield* Workspace
  const [size = ""] = tooLarge.message.split(". ")
  for (const to of firstLines) {
    const text = yield* Effect.result(workspace.readText(path, partBytes, { from: 1, to }))
    if (Result.isFailure(text) && text.failure.type === "output_limit") continue
    const lines = (yield* Effect.fromResult(text)).split("\n")
    const shown = shownLines(lines, 1, params)
    const part = fitLines(shown, wholeCharacters, { first: 1 })
    const note = part === shown.join("\n") ? ` These are its lines 1 to ${lines.length}.` : ""
    return `${part}\n\n(${size}.${note} Search it, or read on with start_line and end_line.)`
  }
  return yield* failure("output_limit", `${size}, and so is its first line. Search it for what you need.`)
})

/**
 * The requested lines of a file that is too large to be read as a whole. Plugins that listen to `FileReads` do not
 * learn of this read.
 */
const readPart = Effect.fnUntraced(function* (path: string, params: Parameters, tooLarge: ToolFailure) {
  const range = rangeOf(params)
  if (range === undefined) return yield* readStart(path, params, tooLarge)
  const to = Math.min(range.to, range.from + 9_999)
  const text = yield* (yield* Workspace).readText(path, partBytes, { from: range.from, to })
  return fitLines(shownLines(text.split("\n"), range.from, params), rangeCharacters, { first: range.from })
})

/** Adds a note about an encoding other than UTF-8. */
const withEncoding = Effect.fnUntraced(function* (path: string, shown: string) {
  const note = encodingNote(yield* (yield* Workspace).encoding(path))
  return note === undefined ? shown : `${shown.trimEnd()}\n\n(${note})`
})

/** The tool `read_file`. Of a file larger than `maxBytes`, it reads only the beginning or the requested lines. */
export const readFile = (maxBytes: number) =>
  tool({
    description:
      "Returns a file or a range of its lines, each as `number: text`, as far as there is room, with a note on how to read on.",
    parameters: Parameters,
    risk: "medium",
    effect: "pure",
    example: { path: "README.md" },
    errors: {
      validation_failed: "The file has no such lines, or the path is too long or a cycle of links.",
      permission_denied: "The user or a rule denied it.",
      not_found: "There is no file at the path; the message names the nearest.",
      io_error: "It is a folder, a pipe, a device or a file of the system (below /proc or /sys), or may not be read.",
      parse_error: "It is not text; the message says what it looks like.",
      output_limit: "The lines have more than 1 MB, or lie beyond the first 256 MB of the file."
    },
    access: ({ path }) => [{ _tag: "ReadFile", path }],
    execute: Effect.fnUntraced(function* (params: Parameters, { granted: [granted] }) {
      if (granted?._tag !== "ReadFile") return yield* Effect.die("read_file got no file to read")
      const whole = yield* Effect.result((yield* Workspace).readText(granted.path, maxBytes))
      if (Result.isFailure(whole)) {
        const { failure: why } = whole
        if (why.type === "not_found") return yield* explainMissing(params, why)
        return why.type === "output_limit"
          ? yield* withEncoding(granted.path, yield* readPart(granted.path, params, why))
          : yield* why
      }
      const part = yield* narrow(whole.success, params)
      yield* (yield* FileReads).announce({ path: granted.path, text: whole.success })
      return yield* withEncoding(granted.path, part)
    })
  })
