/**
 * The tool `get_file_tree`: lists the files of the project.
 */
import * as Effect from "effect/Effect"
import {
  fitTree,
  foldersOf,
  nearestHint,
  nearestPaths,
  skippedText,
  tool,
  ToolFailure,
  type TreeBudget,
  Workspace
} from "../../plugin-kit.ts"
import { between, optional } from "./parameters.ts"
import * as Schema from "effect/Schema"

/**
 * Makes a path relative to the project, without slashes at its ends. Empty for the project itself, which may be written
 * as `.`, `./`, `/` or its absolute path `root`.
 */
export const projectPath = (root: string, written: string): string => {
  const relative = written === root || written.startsWith(`${root}/`) ? written.slice(root.length) : written
  return relative.replace(/^(?:\.?\/)+|\/+$/g, "").replace(/^\.$/, "")
}

const mostListed = 100_000

/**
 * Lists the files at or below a path. If there are none, fails with `not_found` and names the most similar of the
 * `candidates`.
 */
export const filesBelow = Effect.fnUntraced(function* (
  written: string,
  candidates: (files: ReadonlyArray<string>) => ReadonlyArray<string>
) {
  const { meant, root, treeWithin } = yield* Workspace
  const below = (path: string) => treeWithin({ entries: mostListed, below: path })
  const folder = projectPath(root, written)
  const asWritten = yield* below(folder)
  const other = asWritten.files.length > 0 ? folder : yield* meant(folder)
  const listing = other === folder ? asWritten : yield* below(other)
  const path = listing.files.length > 0 ? other : folder
  if (listing.files.length > 0) return { path, listing }
  const allFiles = path === "" ? [] : (yield* below("")).files
  if (allFiles.length === 0) return { path, listing }
  const message = `The project has no file at or below ${JSON.stringify(written)}.`
  const hint = nearestHint(nearestPaths(path, candidates(allFiles)))
  return yield* new ToolFailure({ type: "not_found", message: `${message}${hint}` })
})

const mostFolders = 20

/** The subfolders with listed files. */
const topFolders = (files: ReadonlyArray<string>, folder: string): string => {
  const start = folder === "" ? 0 : folder.length + 1
  const names = files.flatMap((file) => {
    const end = file.indexOf("/", start)
    return end === -1 ? [] : [file.slice(0, end)]
  })
  return [...new Set(names)].slice(0, mostFolders).join(", ")
}

/** The limits of a listing, about 4,000 tokens. */
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
    output_limit: "There are more than 100,000 files; the message names folders."
  },
  execute: Effect.fnUntraced(function* ({ depth, path = "" }: typeof Parameters.Type) {
    const { listing, path: folder } = yield* filesBelow(path, foldersOf)
    const { files, isWhole, passedOver, problems } = listing
    if (!isWhole) {
      const message = `${folder === "" ? "The project" : folder} holds more than 100,000 files. Name a folder below it with path: ${topFolders(files, folder)}.`
      return yield* new ToolFailure({ type: "output_limit", message })
    }
    const from = folder === "" ? 0 : folder.split("/").length
    const tree = fitTree(files, budget, { from, ...(depth === undefined ? {} : { depth }) })
    const left = passedOver.map((file) => ({ path: file, reason: "passed over" as const }))
    const notes = [...problems, ...(left.length === 0 ? [] : [`Not listed: ${skippedText(left)}.`])]
    return [...tree, ...notes.map((note) => `(${note})`)]
  })
})
