/**
 * What the tools and tasks of a run stand on, over a real project folder: nothing is kept, and the internet is all that can be fetched.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerPublicWeb } from "../../src/plugins/web/PublicWeb.ts"
import type { Approver } from "../../src/services/approvals/Approver.ts"
import { Commands, type CommandsOptions } from "../../src/services/commands/Commands.ts"
import { ProjectWriteLock } from "../../src/services/files/ProjectWriteLock.ts"
import { Workspace } from "../../src/services/files/Workspace.ts"
import { Activities } from "../../src/services/journal/Activities.ts"
import { Journal } from "../../src/services/journal/Journal.ts"
import { Policies } from "../../src/services/permissions/Policies.ts"
import type { WebFetch } from "../../src/services/tools/WebFetch.ts"
import { EventLog } from "./EventLog.ts"
import { makeFolder } from "./Project.ts"
import { layerAllowAll } from "./ScriptedApprover.ts"

export interface World {
  /** Allows everything when absent. */
  readonly approver?: Layer.Layer<Approver>
  /** Fetches from the internet only when absent. */
  readonly web?: Layer.Layer<WebFetch>
  readonly policies?: Layer.Layer<Policies>
  /** Remembers nothing when absent. */
  readonly activities?: Layer.Layer<Activities>
  /** Keeps nothing when absent. */
  readonly journal?: Layer.Layer<Journal>
}

export const layerWorld = (root: string, given: World) =>
  Layer.mergeAll(
    Workspace.layer(root),
    given.web ?? layerPublicWeb(),
    given.policies ?? Policies.layerMemory(),
    given.approver ?? layerAllowAll,
    given.activities ?? Activities.layerUnsaved,
    given.journal ?? Journal.layerNone,
    ProjectWriteLock.layerHeld,
    EventLog.layer
  )

/** Commands in folders of their own, with the search path of this process. */
export const layerCommands = (options: Partial<CommandsOptions> = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const [home, scratch] = [yield* makeFolder, yield* makeFolder]
      return Commands.layer({ environment: { PATH: process.env["PATH"] }, home, scratch, hidden: [], ...options })
    })
  )
