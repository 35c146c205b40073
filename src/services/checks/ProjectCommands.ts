/**
 * The files of the project and the commands that it names, for choosing checks. A feature reads them; where none is
 * provided, only commands that a person gives are known.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Path from "effect/Path"
import type { KnownProject } from "../../domain/checks/ChooseChecks.ts"
import type { MayRead } from "../files/ProjectMap.ts"
import type { Workspace } from "../files/Workspace.ts"

type ReadCommands = (mayRead: MayRead) => Effect.Effect<KnownProject, never, Path.Path | Workspace>

export const ProjectCommands = Context.Reference<ReadCommands>("task-conductor/services/checks/ProjectCommands", {
  defaultValue: () => () => Effect.succeed({ files: [], commands: [] })
})
