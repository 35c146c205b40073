/**
 * The map of the project for a prompt: a short text about the project's files and commands. A plugin draws the map.
 * Without this plugin, prompts have no map.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Workspace } from "./Workspace.ts"

/** True if a file may be read without a question. The argument is its canonical path. */
export type MayRead = (path: string) => Effect.Effect<boolean>

/**
 * Draws the map for a context window. `window` is its size in tokens. The map is empty if there is nothing to show, or
 * no space for it.
 */
export type DrawMap = (window: number, mayRead: MayRead) => Effect.Effect<string, never, Workspace>

export const ProjectMap = Context.Reference<DrawMap>("task-conductor/services/files/ProjectMap", {
  defaultValue: () => () => Effect.succeed("")
})
