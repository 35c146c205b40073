/**
 * The map of the project for a prompt: a short text about files and commands. A plugin draws it; without the plugin,
 * prompts have no map.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Workspace } from "./Workspace.ts"

/** True if a file may be read without a question. Takes its canonical path. */
export type MayRead = (path: string) => Effect.Effect<boolean>

/** Draws the map for a context window of `window` tokens. Empty if there is nothing to show, or no space. */
export type DrawMap = (window: number, mayRead: MayRead) => Effect.Effect<string, never, Workspace>

export const ProjectMap = Context.Reference<DrawMap>("task-conductor/services/files/ProjectMap", {
  defaultValue: () => () => Effect.succeed("")
})
