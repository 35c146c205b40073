/**
 * Paths of the project as a model writes them, for the tools that read, list and search files.
 */
import * as Effect from "effect/Effect"
import { nearestHint, nearestPaths, ToolFailure, Workspace } from "../plugin-kit.ts"

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
  const path = projectPath(root, written)
  const files = path === "" ? all : all.filter((file) => file === path || file.startsWith(`${path}/`))
  if (files.length > 0 || all.length === 0) return { path, files }
  const message = `The project has no file at or below ${JSON.stringify(written)}.`
  const hint = nearestHint(nearestPaths(path, candidates(all)))
  return yield* new ToolFailure({ type: "not_found", message: `${message}${hint}` })
})
