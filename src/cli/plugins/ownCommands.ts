/**
 * The commands that the plugins of the user add to the command line.
 */
import * as Effect from "effect/Effect"
import { ownPlugins } from "../../app/ownPlugins.ts"
import { readSetup } from "../../app/setup.ts"
import type { PluginCommands } from "../../services/tools/PluginCommand.ts"

/** By their words; none when the configuration cannot be read, which another command says better. */
export const ownCommands = readSetup(".", {}).pipe(
  Effect.flatMap(ownPlugins),
  Effect.map((plugins): PluginCommands => Object.assign({}, ...plugins.map(({ commands }) => commands))),
  Effect.orElseSucceed((): PluginCommands => ({}))
)
