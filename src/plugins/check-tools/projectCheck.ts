/**
 * Checks documents against a project, for the command line and the library. Uses the skills, tools and files of a run,
 * but no model and no journal, and asks nobody. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { References } from "../../kit/files.ts"
import { Prompts, TokenCalibration } from "../../kit/models.ts"
import {
  Briefer,
  type Configuration,
  layerCatalogue,
  PlanChecker,
  readSetup,
  readStartupWarnings,
  RunSettings,
  type Setup
} from "../../kit/program.ts"
import { Activities } from "../../kit/runs.ts"
import type { Plugin } from "../../plugin-kit.ts"
import { DocumentChecker } from "./DocumentChecker.ts"

/**
 * The project of a check. `configuration` overrides the project's own. `plugins` are further plugins, which the caller
 * passes as objects.
 */
export interface CheckedProject {
  readonly project: string
  readonly configuration: Configuration
  readonly plugins?: ReadonlyArray<Plugin>
  /** Receives warnings for the user, such as skipped plugins. */
  readonly warn: (warnings: ReadonlyArray<string>) => Effect.Effect<void>
}

const layerChecks = (setup: Setup, plugins: ReadonlyArray<Plugin>) =>
  DocumentChecker.layer.pipe(
    Layer.provide(Layer.mergeAll(PlanChecker.layer, Briefer.layer)),
    Layer.provide(References.layer),
    Layer.provide(Layer.mergeAll(Activities.layerUnsaved, TokenCalibration.layer, Prompts.layer)),
    Layer.provideMerge(RunSettings.layer(setup.settings)),
    Layer.provideMerge(layerCatalogue(setup, plugins))
  )

/** Runs a check with the configuration of a project. */
export const inProject = Effect.fn("inProject")(function* <A, E, R>(
  { configuration: flags, plugins = [], project, warn }: CheckedProject,
  use: (checker: DocumentChecker["Service"]) => Effect.Effect<A, E, R>
) {
  const setup = yield* readSetup(project, flags)
  return yield* Effect.gen(function* () {
    yield* warn(yield* readStartupWarnings(setup.rules, flags, setup.project))
    return yield* use(yield* DocumentChecker)
  }).pipe(Effect.provide(layerChecks(setup, plugins)))
})
