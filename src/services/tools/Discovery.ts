/** The plugins that were found for a run, beside those that are named. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Discovered } from "./Plugin.ts"

/** What was found for this run. */
export class DiscoveredPlugins extends Context.Service<DiscoveredPlugins, Discovered>()(
  "task-conductor/services/tools/Discovery/DiscoveredPlugins"
) {
  static readonly layerNone = Layer.succeed(this)({ plugins: [], problems: [], notes: [] })
}
