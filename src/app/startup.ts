/**
 * What a person should know before work begins. It is reported when the layers are built, before the first event.
 */
import * as Effect from "effect/Effect"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { readStartupWarnings } from "../services/pipeline/StartupWarnings.ts"
import type { FittedSetup } from "./modelWindow.ts"
import type { RunContext } from "./RunContext.ts"
import type { Setup } from "./setup.ts"

interface StartedWith extends Partial<FittedSetup> {
  readonly setup: Setup
  readonly isTorn?: boolean
}

/** Reports the notes; fails when a rule of `given` (flags or options) names no tool. */
export const reportStartup = Effect.fnUntraced(function* (
  { isLowered = false, isTorn = false, modelNotes = [], note, setup }: StartedWith,
  given: Configuration,
  warn: RunContext["warn"] = () => Effect.void
) {
  const warnings = [...setup.folders.notes, ...(yield* readStartupWarnings(setup.configuration, given))]
  const notes = note === undefined ? [] : [note]
  yield* warn({
    setup,
    warnings: isLowered ? [...notes, ...warnings] : warnings,
    notes: isLowered ? modelNotes : [...modelNotes, ...notes],
    isTorn
  })
})
