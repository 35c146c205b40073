/**
 * What a person should know before work begins. It is reported when the layers are built, before the first event.
 */
import * as Effect from "effect/Effect"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { readStartupWarnings } from "../services/pipeline/StartupWarnings.ts"
import type { FittedSetup } from "./modelWindow.ts"
import type { Setup } from "./setup.ts"

export interface StartupNotes {
  readonly setup: Setup
  /** Sentences. */
  readonly warnings: ReadonlyArray<string>
  /** What is good to know, and nothing to worry about. */
  readonly notes?: ReadonlyArray<string>
  /** A crash left half a record behind in the journal; see `tornNote`. */
  readonly isTorn: boolean
}

/** Takes the notes, once. */
export type Warn = (notes: StartupNotes) => Effect.Effect<void>

interface StartedWith extends Partial<FittedSetup> {
  readonly setup: Setup
  readonly isTorn?: boolean
}

/** Reports the notes; fails when a rule of `given` (flags or options) names no tool. */
export const tellStartup = Effect.fnUntraced(function* (
  { isLowered = false, isTorn = false, modelNotes = [], note, setup }: StartedWith,
  given: Configuration,
  warn: Warn
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
