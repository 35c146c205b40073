/**
 * Temporary projects for trials, with a home folder that contains nothing of the user. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { Rule } from "../domain/permissions/Permission.ts"
import { builtInProviders } from "./providers.ts"
import { noExtensions, type Setup } from "./setup.ts"

type TrialFiles = Readonly<Record<string, string | Uint8Array>>

/** The rules of every trial, which allow it to read and write in its temporary project. */
export const ownFiles: ReadonlyArray<Rule> = ["read_file", "write_file", "edit_file", "move_file", "remove_file"].map(
  (tool) => ({
    verdict: "allow",
    tool
  })
)

/** Writes files below an existing folder. */
export const putFiles = Effect.fnUntraced(function* (folder: string, files: TrialFiles) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    yield* fs.makeDirectory(path.dirname(file), { recursive: true })
    yield* fs.writeFile(file, typeof content === "string" ? new TextEncoder().encode(content) : content)
  }
})

/** The setup of a trial in a new project with these files. The project exists until the scope closes. */
export const makeTrial = Effect.fnUntraced(function* (
  purpose: string,
  files: { readonly project: TrialFiles; readonly home?: TrialFiles },
  base: Pick<Setup, "settings" | "rules"> & Partial<Setup>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: `task-conductor-${purpose}-` }))
  const [project, home] = [path.join(root, "project"), path.join(root, "home")]
  yield* fs.makeDirectory(project)
  yield* putFiles(project, files.project)
  yield* putFiles(home, files.home ?? {})
  const config = path.join(home, ".config")
  const [ownFolder, state] = [path.join(config, "task-conductor"), path.join(home, ".local", "state", "task-conductor")]
  const setup: Setup = {
    configuration: {},
    extensions: noExtensions,
    models: { chosenBy: "user", providers: builtInProviders, apiKey: undefined },
    ...base,
    project,
    folders: { home, config, settings: ownFolder, state, locks: path.join(state, "locks"), candidates: [], notes: [] },
    userFile: { path: path.join(ownFolder, "config.json") }
  }
  return setup
})
