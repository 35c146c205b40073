/** Commands that plugins add to the command line. */
import type * as Command from "effect/cli/Command"

/** One command. Nothing of it is loaded before a command line names it. */
export interface PluginCommand {
  /** What `--help` says of it, in one line; the commands of packages are not listed there. */
  readonly line: string
  /** The group in `--help`; that of the plugins when absent. A command below another one has none. */
  readonly group?: string
  readonly load: () => Promise<Command.Command.Any>
}

/** Commands by their words: one word for a command, two for one below another, such as "models bench". */
export type PluginCommands = Readonly<Record<string, PluginCommand>>
