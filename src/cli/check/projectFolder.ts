/**
 * Which project `check` checks against. A run takes the current folder for its project; `check` does so when the folder
 * has something that only a project has, so that a document elsewhere is checked by its text alone.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { usageFailure } from "../terminal/Failure.ts"

/** What makes the current folder a project. bin/task-conductor.cjs has the same list. */
export const projectMarkers = [".git", "task-conductor.json", ".task-conductor", ".agents", ".mcp.json", "AGENTS.md"]

/** The folder of the project; nothing when the text alone is checked. */
export const projectFolder = Effect.fn("projectFolder")(function* ({
  noProject,
  project
}: {
  readonly project: Option.Option<string>
  readonly noProject: boolean
}) {
  if (Option.isSome(project)) {
    return noProject
      ? yield* usageFailure("--project and --no-project exclude each other. Leave one out.")
      : project.value
  }
  if (noProject) return undefined
  const fs = yield* FileSystem.FileSystem
  for (const marker of projectMarkers) {
    if (yield* Effect.orElseSucceed(fs.exists(marker), () => false)) return "."
  }
  return undefined
})
