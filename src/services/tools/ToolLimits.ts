/** The user's limits, for tools that mention them or enforce them themselves. */
import * as Context from "effect/Context"
import { defaultLimits, type Limits } from "../../domain/configuration/Limits.ts"

export const ToolLimits = Context.Reference<Limits>("task-conductor/services/tools/ToolLimits", {
  defaultValue: () => defaultLimits
})
