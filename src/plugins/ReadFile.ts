/**
 * The tool `read_file`: the text of a file, or some of its lines.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ToolFailure } from "../domain/ToolFailure.ts"
import { builtInOrigin, definePlugin, type Plugin, tool } from "../services/Plugin.ts"
import { FileReads } from "../services/FileReads.ts"
import { Workspace } from "../services/Workspace.ts"

const LineNumber = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const Parameters = Schema.Struct({
  path: Schema.NonEmptyString.annotate({ description: "The file, relative to the project or absolute." }),
  start_line: Schema.optionalKey(LineNumber.annotate({ description: "The first line to return, counted from 1." })),
  end_line: Schema.optionalKey(LineNumber.annotate({ description: "The last line to return." }))
})
type Range = Pick<typeof Parameters.Type, "start_line" | "end_line">

const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

const narrow = (path: string, text: string, { end_line, start_line }: Range): Effect.Effect<string, ToolFailure> => {
  if (start_line === undefined && end_line === undefined) return Effect.succeed(text)
  const lines = linesOf(text)
  const first = start_line ?? 1
  const last = Math.min(end_line ?? lines.length, lines.length)
  if (first <= last) return Effect.succeed(lines.slice(first - 1, last).join("\n"))
  const message = `${path} has ${lines.length} lines; there are none from line ${first} to line ${end_line ?? lines.length}.`
  return Effect.fail(new ToolFailure({ type: "validation_failed", message }))
}

/** Files above `maxBytes` are not read. */
export const readFile = (maxBytes: number): Plugin =>
  definePlugin({
    name: builtInOrigin,
    tools: Effect.gen(function* () {
      const reads = yield* FileReads
      return {
        read_file: tool({
          description: "Returns the text of a file, or of a range of its lines. Use it to see what a file really says.",
          parameters: Parameters,
          risk: "medium",
          effect: "pure",
          example: { path: "README.md" },
          access: ({ path }) => [{ _tag: "ReadFile", path }],
          execute: Effect.fnUntraced(function* (params: typeof Parameters.Type, [granted]) {
            if (granted?._tag !== "ReadFile") return yield* Effect.die("read_file got no file to read")
            const text = yield* (yield* Workspace).readText(granted.path, maxBytes)
            const part = yield* narrow(params.path, text, params)
            yield* reads.announce({ path: granted.path, text })
            return part
          })
        })
      }
    })
  })
