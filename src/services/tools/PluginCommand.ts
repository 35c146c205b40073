/** Commands that plugins add to the command line. */
import type * as Command from "effect/cli/Command"

/** One command. Its code is loaded only when a command line names it. */
export interface PluginCommand {
  /** The line about the command in `--help`. If the command comes from another package, `--help` does not list it. */
  readonly line: string
  /** The group in `--help`; the group of plugins by default. A subcommand has none. */
  readonly group?: string
  /** Imports the command (effect/cli). */
  readonly load: () => Promise<Command.Command.Any>
}

/** Commands by their words: one word for a command, two for a subcommand, such as "models bench". */
export type PluginCommands = Readonly<Record<string, PluginCommand>>
