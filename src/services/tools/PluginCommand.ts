/** Commands that plugins add to the command line. */
import type * as Command from "effect/cli/Command"

/** One command. Its code is loaded only if a command line names it. */
export interface PluginCommand {
  /** The line about it in `--help`. Commands of packages are not listed there. */
  readonly line: string
  /** Its group in `--help`. If absent, the group of plugins. A subcommand has no group. */
  readonly group?: string
  /** Imports the command (effect/cli). Called when a command line names it. */
  readonly load: () => Promise<Command.Command.Any>
}

/** Commands by their words. One word is a command. Two are a subcommand, such as "models bench". */
export type PluginCommands = Readonly<Record<string, PluginCommand>>
