/**
 * Commands that the user's plugins add to the command line.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { readSetup, type Setup } from "../../app/setup.ts"
import type { Plugin } from "../../services/tools/Plugin.ts"
import type { PluginCommands } from "../../services/tools/PluginCommand.ts"
import { usageFailure } from "../terminal/Failure.ts"

/** The commands of a plugin. A command that cannot be loaded fails only when the user runs it. */
const commandsOf = ({ commands = {}, name: plugin }: Plugin): PluginCommands =>
  Object.fromEntries(
    Object.entries(commands).map(([name, command]) => {
      const load = async () => {
        try {
          return await command.load()
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error)
          return Command.make(name, {}, () =>
            usageFailure(`The command "${name}" of the plugin ${plugin} cannot be loaded: ${why}`)
          )
        }
      }
      return [name, { ...command, load }]
    })
  )

/** Loads the plugins of the setup. Without plugins, the code that loads them is not imported. */
const pluginsOf = (setup: Setup) =>
  setup.extensions.plugins.length === 0
    ? Effect.succeed([])
    : Effect.flatMap(
        Effect.promise(() => import("../../app/ownPlugins.ts")),
        ({ ownPlugins }) => ownPlugins(setup)
      )

/**
 * The commands by name. Empty if the configuration is unreadable, because other commands report that problem better.
 */
export const ownCommands = readSetup(".", {}).pipe(
  Effect.flatMap(pluginsOf),
  Effect.map((plugins): PluginCommands => Object.assign({}, ...plugins.map(commandsOf))),
  Effect.orElseSucceed((): PluginCommands => ({}))
)
