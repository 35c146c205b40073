/**
 * Reads the files of a project and the commands that its manifests name, for the checks of the host.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { commandsOf, manifestsOf } from "../../domain/map/MainFiles.ts"
import { mappedFiles } from "../../domain/map/ProjectMap.ts"
import { ProjectCommands } from "../checks/ProjectCommands.ts"
import type { MayRead } from "../files/ProjectMap.ts"
import { Workspace } from "../files/Workspace.ts"
import { listingTime, manifestBytes, mostMapped, readAll } from "./MapReader.ts"

/** Nothing is known of a project that cannot be listed. */
export const readProjectCommands = Effect.fn("readProjectCommands")(
  function* (mayRead: MayRead) {
    const workspace = yield* Workspace
    const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(listingTime)
    const files = mappedFiles((yield* workspace.treeWithin({ entries: mostMapped, until })).files)
    const all = new Set(files)
    const texts = yield* readAll(manifestsOf(files), manifestBytes, mayRead)
    return { files, commands: texts.flatMap(({ path, text }) => commandsOf({ path, text, files: all })) }
  },
  Effect.orElseSucceed(() => ({ files: [], commands: [] }))
)

export const layerProjectCommands = Layer.succeed(ProjectCommands, readProjectCommands)
