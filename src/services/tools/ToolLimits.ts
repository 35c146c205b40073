/** The limits that the user has set, for tools that mention or enforce them. */
import * as Context from "effect/Context"
import { defaultLimits, type Limits } from "../../domain/configuration/Limits.ts"

/** The limits of the run, for `yield* ToolLimits` in a tool. Outside of a run, the default limits. */
export const ToolLimits = Context.Reference<Limits>("task-conductor/services/tools/ToolLimits", {
  defaultValue: () => defaultLimits
})
