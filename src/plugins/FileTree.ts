/**
 * The tool `get_file_tree`: which files the project has.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { builtInOrigin, definePlugin, tool } from "../services/Plugin.ts"
import { Workspace } from "../services/Workspace.ts"
import { isBelow } from "./FolderPrefix.ts"

const Parameters = Schema.Struct({
  path: Schema.optionalKey(
    Schema.String.annotate({ description: "A folder of the project; only files below it are listed." })
  )
})

export const fileTree = definePlugin({
  name: builtInOrigin,
  tools: Effect.succeed({
    get_file_tree: tool({
      description:
        "Lists the paths of all files of the project, relative to its root, as a JSON array. Files that git ignores are left out.",
      parameters: Parameters,
      risk: "safe",
      effect: "pure",
      example: { path: "src" },
      execute: Effect.fnUntraced(function* ({ path }: typeof Parameters.Type) {
        const files = yield* (yield* Workspace).tree
        return path === undefined ? files : files.filter(isBelow(path))
      })
    })
  })
})
