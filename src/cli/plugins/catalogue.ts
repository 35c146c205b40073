/**
 * What the lists of tools, plugins and skills show.
 */
import * as Effect from "effect/Effect"
import { McpPlugins } from "../../services/mcp/McpPlugins.ts"
import { PluginPackages } from "../../services/plugins/PluginPackages.ts"
import { Skills } from "../../services/skills/Skills.ts"
import { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import { layerCatalogue } from "../../app/projectLayers.ts"
import { readSetup } from "../../app/setup.ts"

/** The tools, plugins and skills that a run in this project would have. */
export const readCatalogue = Effect.fn("readCatalogue")(function* (
  project: string,
  plugins: ReadonlyArray<string> = []
) {
  const setup = yield* readSetup(project, { plugins })
  return yield* Effect.gen(function* () {
    const { problems, tools } = yield* ToolRegistry
    const { known } = yield* PluginPackages
    const { known: servers, notes: serverNotes } = yield* McpPlugins
    const { all, notes } = yield* Skills
    return { tools, problems, known, servers, serverNotes, skills: all, notes: [...setup.folders.notes, ...notes] }
  }).pipe(Effect.provide(layerCatalogue(setup)))
})
