/**
 * The map of the project for a prompt: a short text about its files and commands. A feature draws it; where none is
 * provided, prompts have no map.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Workspace } from "./Workspace.ts"

/** True when a file may be read without a question, by its canonical path. */
export type MayRead = (path: string) => Effect.Effect<boolean>

/** Draws the map for a window of so many tokens; empty when there is nothing to show or no budget for it. */
export type DrawMap = (window: number, mayRead: MayRead) => Effect.Effect<string, never, Workspace>

export const ProjectMap = Context.Reference<DrawMap>("task-conductor/services/files/ProjectMap", {
  defaultValue: () => () => Effect.succeed("")
})
