/**
 * The reference page of the built-in tools, made from their records. Called by generatedFiles.ts.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { toolPage } from "../src/domain/tools/ToolPage.ts"
import builtIns from "../src/plugins/builtIns.ts"
import { Commands } from "../src/services/commands/Commands.ts"
import { ToolRegistry } from "../src/services/tools/ToolRegistry.ts"
import { WebFetch } from "../src/services/web/WebFetch.ts"
import { Workspace } from "../src/services/files/Workspace.ts"

const layer = ToolRegistry.layer(builtIns).pipe(
  Layer.provide(Layer.mergeAll(Workspace.layer(import.meta.dirname), WebFetch.layer(), Commands.layerNone)),
  Layer.provide(NodeServices.layer)
)

const introduction = [
  "What a task can call without any plugin. `task-conductor tools describe NAME` says the same of every tool of a project,",
  "with the text that a model sees. What is asked, and how rules answer: [permissions](../permissions.md). What is",
  "fetched, and what never: [the web](../web.md).",
  "",
  "Every call gets one result. It may also fail with `validation_failed` (the arguments do not fit), `permission_denied`,",
  "`timeout` (the tool was stopped), `output_limit` (the output is larger than 256 KiB) or `internal_error` (a fault of the",
  "tool). A text that is too long for the window of the model is shown up to where it fits, and says so."
].join("\n")

/** The page, with the tools in the order in which they are registered. */
export const toolsPage = Effect.gen(function* () {
  const { tools } = yield* ToolRegistry
  return ["# Tools", introduction, ...tools.map(toolPage)].join("\n\n")
}).pipe(Effect.provide(layer))
