/**
 * The reference page of the built-in tools, made from their records.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ToolInfo } from "../src/domain/tools/ToolCall.ts"
import { propertiesOf, requiredOf } from "../src/domain/tools/ToolSchema.ts"
import { builtIns } from "../src/app/layers.ts"
import { layerNoCommands } from "../test/support/NoCommands.ts"
import { ToolRegistry } from "../src/services/tools/ToolRegistry.ts"
import { layerPublicWeb } from "../src/plugins/web/PublicWeb.ts"
import { Workspace } from "../src/services/files/Workspace.ts"

const layer = ToolRegistry.layer([builtIns]).pipe(
  Layer.provide(Layer.mergeAll(Workspace.layer(import.meta.dirname), layerPublicWeb(), layerNoCommands)),
  Layer.provide(NodeServices.layer)
)

const introduction = [
  "These tools are available without plugins. `task-conductor tools describe NAME` shows all about one: the meaning of its",
  "parameters, how it fails, and the text that a model sees. [Permissions](permissions.md) says which calls ask. `safe` runs,",
  "`medium` asks, `high` asks with a warning; `pure` changes nothing, `idempotent` done twice is as done once, `once` is not.",
  "Every call has exactly one result."
].join("\n")

const parametersOf = ({ parameters }: ToolInfo): string => {
  const schema = parameters as Parameters<typeof propertiesOf>[0]
  const required = new Set(requiredOf(schema))
  return [...propertiesOf(schema).keys()].map((name) => `\`${name}\`${required.has(name) ? "" : "?"}`).join(", ")
}

const row = (tool: ToolInfo): string =>
  `| \`${tool.name}\` | ${tool.risk}, ${tool.effect} | ${parametersOf(tool)} | ${tool.description.replaceAll("|", "\\|").replaceAll("\n", " ")} |`

/** The page, in order of registration. */
export const toolsPage = Effect.gen(function* () {
  const { tools } = yield* ToolRegistry
  const table = ["| tool | risk, effect | parameters | does |", "|---|---|---|---|", ...tools.map(row)].join("\n")
  return ["# Tools", introduction, table].join("\n\n")
}).pipe(Effect.provide(layer))
