/** Commands that plugins add to the command line. */
import type * as Command from "effect/cli/Command"

/** One command. Its code is loaded only when a command line names it. */
export interface PluginCommand {
  /** Its line in `--help`. Commands of packages are not listed there. */
  readonly line: string
  /** Its group in `--help`; the group of plugins if absent. A subcommand has no group. */
  readonly group?: string
  /** Imports the command of effect/cli; it is called when a command line names it. */
  readonly load: () => Promise<Command.Command.Any>
}

/** Commands by their words: one word for a command, two for a subcommand such as "models bench". */
export type PluginCommands = Readonly<Record<string, PluginCommand>>
