/**
 * Compares models on a small set of tasks: each plans three prompts and carries out one plan, in a temporary project and with
 * a temporary home. Nothing of the person is read but how their server is reached, and nothing of theirs is changed. Part
 * of the composition root.
 */
import * as Effect from "effect/Effect"
import { benchFiles, benchPlan, benchPrompt, benchPrompts } from "../domain/checking/BenchSet.ts"
import { type ModelScore, scoreOf } from "../domain/checking/BenchScore.ts"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import type { RunEvent } from "../domain/runs/RunEvent.ts"
import { layerRuleApprover } from "../services/approvals/Approver.ts"
import { Pipeline } from "../services/pipeline/Pipeline.ts"
import { fitWindow } from "./modelWindow.ts"
import { layerRun } from "./runLayers.ts"
import { renameModels, type Setup } from "./setup.ts"
import { makeTrial, ownFiles } from "./trialSetup.ts"

/** Receives the events of a model while it works. */
export type BenchListener = (model: string, event: RunEvent) => Effect.Effect<void>

/** What of the person's settings says how models are called. */
const callSettings = ({ configuration }: Setup): Configuration => {
  const { contextWindow, host, keepAlive, limits, sampling, think } = configuration
  return { contextWindow, host, keepAlive, think, sampling, limits: { ...limits, rounds: 1 } }
}

/** The events of one piece of work in a project of its own. */
const eventsOf = Effect.fnUntraced(function* (
  given: Setup,
  model: string,
  listen: BenchListener,
  work: (pipeline: Pipeline["Service"]) => Effect.Effect<unknown, { readonly message: string }>
) {
  const { apiKey, providers, settings } = given
  const rules = ownFiles.map((rule) => ({ ...rule, source: "the comparison of models" }))
  const own = { configuration: callSettings(given), settings, rules, providers, apiKey }
  const trial = yield* makeTrial("bench", { project: benchFiles }, own)
  const { setup } = yield* fitWindow(renameModels(trial, new Map(), model), {})
  const events: Array<RunEvent> = []
  const context = {
    listen: ({ event }: { readonly event: RunEvent }) =>
      Effect.andThen(
        Effect.sync(() => void events.push(event)),
        listen(model, event)
      ),
    approveSteps: true,
    approver: layerRuleApprover(ownFiles, setup.project)
  }
  yield* Pipeline.use(work).pipe(
    Effect.provide(layerRun(setup, context)),
    /* A model that cannot do it is what the comparison is about; what failed is in the events. */
    Effect.catch(() => Effect.void)
  )
  return events
}, Effect.scoped)

/** Tries one model. */
const tryModel = Effect.fnUntraced(function* (given: Setup, model: string, listen: BenchListener) {
  const planned = yield* Effect.forEach(benchPrompts, (prompt, index) =>
    eventsOf(given, model, listen, (pipeline) => pipeline.plan({ runId: `bench-${index + 1}`, prompt }))
  )
  const done = yield* eventsOf(given, model, listen, (pipeline) =>
    pipeline.run({ runId: "bench", prompt: benchPrompt, plan: benchPlan })
  )
  return scoreOf(model, [...planned, done])
})

/** Tries the models one after another, so that each has the server for itself. */
export const benchModels = Effect.fn("benchModels")(
  (
    given: Setup,
    models: ReadonlyArray<string>,
    listen: BenchListener
  ): Effect.Effect<
    ReadonlyArray<ModelScore>,
    Effect.Error<ReturnType<typeof tryModel>>,
    Effect.Services<ReturnType<typeof tryModel>>
  > => Effect.forEach(models, (model) => tryModel(given, model, listen))
)
