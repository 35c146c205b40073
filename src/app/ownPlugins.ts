/**
 * The plugins of the user. Only these plugins may add providers, commands, listeners and an approver. A plugin that
 * only the project names may add only tools and skills.
 */
import { readOwnPlugins } from "../services/plugins/PluginPackages.ts"
import { makeSecretReader } from "../services/plugins/Secrets.ts"
import type { Plugin } from "../services/tools/Plugin.ts"
import type { Setup } from "./setup.ts"

/** Loads the user's plugins, each once. `values` are plugin objects of a script. */
export const ownPlugins = ({ extensions }: Pick<Setup, "extensions">, values: ReadonlyArray<Plugin> = []) =>
  readOwnPlugins({ entries: extensions.plugins, values })

export const secretReaderOf = ({
  configuration: { secrets = {} },
  folders: { home },
  userFile
}: Pick<Setup, "configuration" | "folders" | "userFile">) =>
  makeSecretReader({ sources: secrets, file: userFile.path, home })
