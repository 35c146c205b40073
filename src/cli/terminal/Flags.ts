/**
 * Forms of flags that several commands have.
 */
import * as Flag from "effect/cli/Flag"

/** A flag without a value. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))
