/**
 * The tool `write_file`: creates a file or replaces its whole text.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { changePreview } from "../domain/ChangePreview.ts"
import { builtInOrigin, definePlugin, type Plugin, tool } from "../services/Plugin.ts"
import { Workspace } from "../services/Workspace.ts"

const Parameters = Schema.Struct({
  path: Schema.NonEmptyString.annotate({ description: "The file, relative to the project or absolute." }),
  content: Schema.String.annotate({ description: "The whole new text of the file." })
})

/** So many lines of bounded length stay below the cap for outputs, whatever characters they hold. */
const diffLines = 100

/** A file above `maxBytes` is replaced without a diff. */
export const writeFile = (maxBytes: number): Plugin =>
  definePlugin({
    name: builtInOrigin,
    tools: Effect.succeed({
      write_file: tool({
        description:
          "Creates a file of the project or replaces its whole text. Returns the path, the number of bytes and a diff.",
        parameters: Parameters,
        risk: "high",
        effect: "idempotent",
        example: { path: "docs/notes.md", content: "# Notes\n" },
        access: ({ content, path }) => [{ _tag: "WriteFile", path, content }],
        execute: Effect.fnUntraced(function* (_params: typeof Parameters.Type, [granted]) {
          if (granted?._tag !== "WriteFile") return yield* Effect.die("write_file got no file to write")
          const workspace = yield* Workspace
          const { content, path } = granted
          const before = yield* Effect.match(workspace.readText(path, maxBytes), {
            onSuccess: (text) => ({ text, readable: true }),
            onFailure: ({ type }) => ({ text: undefined, readable: type === "not_found" })
          })
          yield* workspace.write(granted)
          const diff = before.readable
            ? changePreview(path, before.text, content, diffLines)
            : "(The old content could not be read, so there is no diff.)"
          return { path, bytes: new TextEncoder().encode(content).length, diff }
        })
      })
    })
  })
