/**
 * The plugins that the user names. Providers, commands, listeners and an approver count only of these. Of a plugin that only a project
 * names, tools and skills count.
 */
import { readOwnPlugins } from "../services/plugins/PluginPackages.ts"
import { makeSecretReader } from "../services/plugins/Secrets.ts"
import type { Plugin } from "../services/tools/Plugin.ts"
import type { Setup } from "./setup.ts"

/** Loads them, each name once; `values` are those of a script. */
export const ownPlugins = ({ extensions }: Pick<Setup, "extensions">, values: ReadonlyArray<Plugin> = []) =>
  readOwnPlugins({ entries: extensions.plugins, values })

/** Reads the secrets of the user of a setup. */
export const secretReaderOf = ({
  configuration: { secrets = {} },
  folders: { home },
  userFile
}: Pick<Setup, "configuration" | "folders" | "userFile">) =>
  makeSecretReader({ sources: secrets, file: userFile.path, home })
