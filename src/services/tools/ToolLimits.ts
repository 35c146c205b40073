/** The limits that the user set, for tools that say them or keep to them themselves. */
import * as Context from "effect/Context"
import { defaultLimits, type Limits } from "../../domain/configuration/Limits.ts"

export const ToolLimits = Context.Reference<Limits>("task-conductor/services/tools/ToolLimits", {
  defaultValue: () => defaultLimits
})
