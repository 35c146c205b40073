/**
 * The tool `get_file_tree`: which files the project has.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { definePlugin, fitTree, foldersOf, tool, type TreeBudget } from "../plugin-kit.ts"
import { filesBelow } from "./ProjectPath.ts"

/** About 4,000 tokens at the most. */
const budget: TreeBudget = { entries: 500, characters: 16_000 }

const Parameters = Schema.Struct({
  path: Schema.optionalKey(
    Schema.String.annotate({ description: "A folder of the project; only files below it are listed." })
  ),
  depth: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
      description: "How many levels to list; deeper ones are shown as folders, with / at the end."
    })
  )
})

export const fileTree = definePlugin({
  name: "file-tree",
  tools: Effect.succeed({
    get_file_tree: tool({
      description: `Lists the paths of the files of the project that git does not ignore, as a JSON array. Above ${budget.entries} paths or ${budget.characters} characters it shows folders instead.`,
      parameters: Parameters,
      risk: "safe",
      effect: "pure",
      example: { path: "src" },
      errors: {
        not_found: "`path` is not a folder of the project; the message names the nearest.",
        io_error: "The project folder cannot be listed.",
        output_limit: "The project has more than 100,000 files."
      },
      execute: Effect.fnUntraced(function* ({ depth, path = "" }: typeof Parameters.Type) {
        const { files, path: folder } = yield* filesBelow(path, foldersOf)
        const from = folder === "" ? 0 : folder.split("/").length
        return fitTree(files, budget, { from, ...(depth === undefined ? {} : { depth }) })
      })
    })
  })
})
