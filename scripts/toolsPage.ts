/**
 * The reference page of the built-in tools, made from their records.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { toolPage } from "../src/domain/tools/ToolPage.ts"
import { builtIns } from "../src/app/projectLayers.ts"
import { Commands } from "../src/services/commands/Commands.ts"
import { ToolRegistry } from "../src/services/tools/ToolRegistry.ts"
import { layerPublicWeb } from "../src/services/web/PublicWeb.ts"
import { Workspace } from "../src/services/files/Workspace.ts"

const layer = ToolRegistry.layer(builtIns()).pipe(
  Layer.provide(Layer.mergeAll(Workspace.layer(import.meta.dirname), layerPublicWeb(), Commands.layerNone)),
  Layer.provide(NodeServices.layer)
)

const introduction = [
  "These tools are available without plugins. `task-conductor tools describe NAME` shows the same for every tool of a",
  "project, with the text that a model sees. [Permissions](../permissions.md) describes which calls ask and how rules decide;",
  "[the web](../what-a-model-sees.md) describes which pages are fetched.",
  "",
  "Every call has exactly one result. Every call may also fail with `validation_failed` (the arguments do not fit), `permission_denied`,",
  "`timeout` (the tool was stopped), `output_limit` (the output is larger than 256 KiB) or `internal_error` (an error in the",
  "tool). A text that is too long for the context window of the model is cut, with a note."
].join("\n")

/** The page, with the tools in the order in which they are registered. */
export const toolsPage = Effect.gen(function* () {
  const { tools } = yield* ToolRegistry
  return ["# Tools", introduction, ...tools.map(toolPage)].join("\n\n")
}).pipe(Effect.provide(layer))
