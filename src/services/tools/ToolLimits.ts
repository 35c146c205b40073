/** The user's limits, for tools that mention them or enforce them themselves. */
import * as Context from "effect/Context"
import { defaultLimits, type Limits } from "../../domain/configuration/Limits.ts"

/** The limits of the run as a reference: `yield* ToolLimits` in a tool. The default limits outside of a run. */
export const ToolLimits = Context.Reference<Limits>("task-conductor/services/tools/ToolLimits", {
  defaultValue: () => defaultLimits
})
