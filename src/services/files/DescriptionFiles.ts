/**
 * Finds the texts that describe the project to a model: one in the folder of each file at hand and in every folder above
 * it, up to the project folder. Nothing outside the project is read.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import type { DescriptionFile } from "../../domain/models/ProjectDescription.ts"
import { canonicalPath } from "./CanonicalPath.ts"
import { readTextFile } from "./TextFile.ts"

/** The first that is there and not empty counts. */
const names = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"]
const maxBytes = 1_048_576

/** The folders of the files and those above them, relative to the project; the nearest first, the project last. */
const foldersOf = (near: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folders = near.flatMap((file) => {
    const parts = file.split("/").slice(0, -1)
    return parts.map((_, index) => parts.slice(0, index + 1).join("/"))
  })
  const byDepth = [...new Set(folders)].toSorted((a, b) => b.split("/").length - a.split("/").length)
  return [...byDepth, ""]
}

/** Reads the descriptions for the files `near` (paths relative to the project), the nearest first, as far as they may be read. */
export const readDescriptions = Effect.fn("readDescriptions")(function* (
  root: string,
  near: ReadonlyArray<string>,
  mayRead: (path: string) => Effect.Effect<boolean>
) {
  const path = yield* Path.Path

  const textOf = Effect.fnUntraced(function* (relative: string) {
    const file = yield* canonicalPath(root, path.join(root, relative)).pipe(Effect.orElseSucceed(() => undefined))
    if (file === undefined || !file.inside || !(yield* mayRead(file.path))) return ""
    return (yield* readTextFile(file.path, maxBytes).pipe(Effect.orElseSucceed(() => ""))).trim()
  })

  const firstOf = Effect.fnUntraced(function* (folder: string) {
    for (const name of folder === "" ? [...names, "README.md"] : names) {
      const relative = folder === "" ? name : `${folder}/${name}`
      const text = yield* textOf(relative)
      if (text !== "") return [{ path: relative, text } satisfies DescriptionFile]
    }
    return []
  })

  return (yield* Effect.forEach(foldersOf(near), firstOf)).flat()
})
