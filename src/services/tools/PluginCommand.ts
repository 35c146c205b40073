/** Commands that plugins add to the command line. */
import type * as Command from "effect/cli/Command"

/** One command. Its code is loaded only when a command line names the command. */
export interface PluginCommand {
  /** The line about the command in `--help`. Commands of other packages are not listed there. */
  readonly line: string
  /**
   * The group of the command in `--help`. If absent, the command is in the group of plugins. A subcommand has no group.
   */
  readonly group?: string
  /** Imports the command (effect/cli). Called when a command line names it. */
  readonly load: () => Promise<Command.Command.Any>
}

/**
 * Commands by their words. A key of one word is a command. A key of two words is a subcommand, such as "models bench".
 */
export type PluginCommands = Readonly<Record<string, PluginCommand>>
