/**
 * The tool `get_file_tree`: which files the project has.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { foldersOf, nearestHint, nearestPaths } from "../domain/files/NearestPath.ts"
import { fitTree, type TreeBudget } from "../domain/files/PathTree.ts"
import { ToolFailure } from "../domain/tools/ToolFailure.ts"
import { definePlugin, tool } from "../services/plugins/Plugin.ts"
import { builtInOrigin } from "../domain/tools/PreparedCall.ts"
import { Workspace } from "../services/files/Workspace.ts"
import { folderName, isBelow } from "./FolderPrefix.ts"

/** About 4,000 tokens at the most. */
const room: TreeBudget = { entries: 500, characters: 16_000 }

const Parameters = Schema.Struct({
  path: Schema.optionalKey(
    Schema.String.annotate({ description: "A folder of the project; only files below it are listed." })
  ),
  depth: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
      description: "How many levels to list; what lies deeper is shown as its folder, with / at the end."
    })
  )
})

export const fileTree = definePlugin({
  name: builtInOrigin,
  tools: Effect.succeed({
    get_file_tree: tool({
      description: `Lists the paths of all files of the project, relative to its root, as a JSON array. Files that git ignores are left out. Above ${room.entries} paths or ${room.characters} characters it shows folders, and says so.`,
      parameters: Parameters,
      risk: "safe",
      effect: "pure",
      example: { path: "src" },
      errors: {
        not_found: "`path` is no folder of the project; the message names the nearest.",
        io_error: "The project folder cannot be listed.",
        output_limit: "The project has more than 100,000 files."
      },
      execute: Effect.fnUntraced(function* ({ depth, path = "" }: typeof Parameters.Type) {
        const workspace = yield* Workspace
        const files = yield* workspace.tree
        const folder = folderName(workspace.root, path)
        const below = files.filter(isBelow(folder))
        if (below.length === 0 && files.length > 0) {
          const message = `The project has no file below ${JSON.stringify(path)}.`
          const hint = nearestHint(nearestPaths(folder, foldersOf(files)))
          return yield* new ToolFailure({ type: "not_found", message: `${message}${hint}` })
        }
        const from = folder === "" ? 0 : folder.split("/").length
        return fitTree(below, room, { from, ...(depth === undefined ? {} : { depth }) })
      })
    })
  })
})
