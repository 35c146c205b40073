/**
 * The built-in tools as a run registers them.
 */
import { defaultLimits, type Limits } from "../domain/configuration/Limits.ts"
import { builtInOrigin } from "../domain/tools/ToolCall.ts"
import { builtInPlugins } from "../plugins/builtIns.ts"
import type { Plugin } from "../services/tools/Plugin.ts"

type BuiltInLimits = Pick<Limits, "commandSeconds" | "fetchSeconds" | "readFileBytes">

/**
 * The plugins in `src/plugins`, marked as built in. The mark is their name, which is given here and nowhere else:
 * `PluginPackages` leaves out every other plugin of this name.
 */
export const builtIns = ({
  commandSeconds,
  fetchSeconds,
  readFileBytes
}: BuiltInLimits = defaultLimits): ReadonlyArray<Plugin> =>
  builtInPlugins({ commandSeconds, fetchSeconds, maxFileBytes: readFileBytes }).map(({ apiVersion, tools }) => ({
    apiVersion,
    name: builtInOrigin,
    tools
  }))
