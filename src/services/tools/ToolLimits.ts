/** The user's limits, for tools that mention or enforce them. */
import * as Context from "effect/Context"
import { defaultLimits, type Limits } from "../../domain/configuration/Limits.ts"

/** The limits of the run as a reference: `yield* ToolLimits` in a tool. Outside of a run, the default limits. */
export const ToolLimits = Context.Reference<Limits>("task-conductor/services/tools/ToolLimits", {
  defaultValue: () => defaultLimits
})
