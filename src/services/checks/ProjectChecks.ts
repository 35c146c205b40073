/**
 * Chooses checks from what the project says about itself. A feature does it; where none is provided, only the checks that a
 * person or a configuration names are known.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { CheckCommand } from "../../domain/checks/CheckOutcome.ts"
import type { MayRead } from "../files/ProjectMap.ts"
import type { Workspace } from "../files/Workspace.ts"

/** The checks for changed files, by their paths relative to the project. */
export type ChooseChecks = (
  changed: ReadonlyArray<string>,
  mayRead: MayRead
) => Effect.Effect<ReadonlyArray<CheckCommand>, never, Workspace>

export const ProjectChecks = Context.Reference<ChooseChecks>("task-conductor/services/checks/ProjectChecks", {
  defaultValue: () => () => Effect.succeed([])
})
