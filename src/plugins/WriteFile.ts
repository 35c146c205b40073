/**
 * The tool `write_file`: creates a file or replaces its whole text.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type CanonicalAccess, changePreview, definePlugin, type Plugin, tool, Workspace } from "../plugin-kit.ts"

const Parameters = Schema.Struct({
  path: Schema.NonEmptyString.annotate({ description: "The file, relative to the project or absolute." }),
  content: Schema.String.annotate({ description: "The whole new text of the file." })
})

/** A diff of so many lines of bounded length is always below the limit for outputs. */
const diffLines = 100

/** Writes the file and gives the diff; a file above `maxBytes`, or one that is not text, is replaced without one. */
export const writeGranted = Effect.fnUntraced(function* (
  granted: CanonicalAccess & { readonly _tag: "WriteFile" },
  maxBytes: number
) {
  const workspace = yield* Workspace
  const { content, path } = granted
  const before = yield* Effect.match(workspace.readText(path, maxBytes), {
    onSuccess: (text) => ({ text, readable: true }),
    onFailure: ({ type }) => ({ text: undefined, readable: type === "not_found" })
  })
  yield* workspace.write(granted)
  return before.readable
    ? changePreview(path, before.text, content, diffLines)
    : "(The old content could not be read, so there is no diff.)"
})

/** A file above `maxBytes` is replaced without a diff. */
export const writeFile = (maxBytes: number): Plugin =>
  definePlugin({
    name: "write-file",
    tools: Effect.succeed({
      write_file: tool({
        description:
          "Creates a file of the project or replaces its whole text. Returns the path, the number of bytes and a diff.",
        parameters: Parameters,
        risk: "high",
        effect: "idempotent",
        example: { path: "docs/notes.md", content: "# Notes\n" },
        errors: {
          validation_failed: "The file changed after the call was allowed.",
          permission_denied: "It was denied, or lies outside the project or controls git or this program.",
          io_error: "The system does not let it be written."
        },
        access: ({ content, path }) => [{ _tag: "WriteFile", path, content }],
        execute: Effect.fnUntraced(function* (_params: typeof Parameters.Type, [granted]) {
          if (granted?._tag !== "WriteFile") return yield* Effect.die("write_file got no file to write")
          const { content, path } = granted
          const diff = yield* writeGranted(granted, maxBytes)
          return { path, bytes: new TextEncoder().encode(content).length, diff }
        })
      })
    })
  })
