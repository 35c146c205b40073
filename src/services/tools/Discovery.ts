/** The plugins that were found for a run, besides those that the user named. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Discovered } from "./Plugin.ts"

export class DiscoveredPlugins extends Context.Service<DiscoveredPlugins, Discovered>()(
  "task-conductor/services/tools/Discovery/DiscoveredPlugins"
) {
  static readonly layerNone = Layer.succeed(this)({ plugins: [], problems: [], notes: [] })
}
