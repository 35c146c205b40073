/**
 * The tool `write_file`: creates a file or replaces its whole text.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { definePlugin, type Plugin, tool } from "../services/plugins/Plugin.ts"
import { builtInOrigin } from "../domain/tools/PreparedCall.ts"
import { writeGranted } from "./GrantedWrite.ts"

const Parameters = Schema.Struct({
  path: Schema.NonEmptyString.annotate({ description: "The file, relative to the project or absolute." }),
  content: Schema.String.annotate({ description: "The whole new text of the file." })
})

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
        errors: {
          validation_failed: "The file changed after the call was allowed.",
          permission_denied: "It was declined, or lies outside the project or steers git or this program.",
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
