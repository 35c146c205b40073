/**
 * The tool `get_file_tree`: which files the project has.
 */
import * as Effect from "effect/Effect"
import {
  nearestHint,
  nearestPaths,
  ToolFailure,
  Workspace,
  fitTree,
  foldersOf,
  tool,
  type TreeBudget,
  withoutEscapes
} from "../plugin-kit.ts"
import { between, optional } from "./parameters.ts"
import * as Schema from "effect/Schema"

/**
 * A path relative to the project, without slashes around it; empty for the project itself, which may be written as `.`,
 * `./`, `/` or its absolute path `root`.
 */
export const projectPath = (root: string, written: string): string => {
  const relative = written === root || written.startsWith(`${root}/`) ? written.slice(root.length) : written
  return relative.replace(/^(?:\.?\/)+|\/+$/g, "").replace(/^\.$/, "")
}

/** The files at or below a path. Fails with `not_found`, which names the nearest of the `candidates`, when there are none. */
export const filesBelow = Effect.fnUntraced(function* (
  written: string,
  candidates: (files: ReadonlyArray<string>) => ReadonlyArray<string>
) {
  const { root, tree } = yield* Workspace
  const all = yield* tree
  const below = (path: string) =>
    path === "" ? all : all.filter((file) => file === path || file.startsWith(`${path}/`))
  const given = projectPath(root, written)
  const plain = withoutEscapes(given)
  const path = below(given).length === 0 && below(plain).length > 0 ? plain : given
  const files = below(path)
  if (files.length > 0 || all.length === 0) return { path, files }
  const message = `The project has no file at or below ${JSON.stringify(written)}.`
  const hint = nearestHint(nearestPaths(path, candidates(all)))
  return yield* new ToolFailure({ type: "not_found", message: `${message}${hint}` })
})

/** About 4,000 tokens at the most. */
const budget: TreeBudget = { entries: 500, characters: 16_000 }

const Parameters = Schema.Struct({
  path: optional(Schema.String, "A folder; only files below it are listed."),
  depth: optional(between(1, 100), "How many levels to list.")
})

export const fileTree = tool({
  description:
    "Lists the paths of the files that git does not ignore, as a JSON array; folders where there are too many.",
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
