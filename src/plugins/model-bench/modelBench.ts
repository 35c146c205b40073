/**
 * Compares models. Each model plans three prompts and carries out one plan twice: with calls as text, and with native
 * calls. The project and the home are temporary. Only the user's settings for model calls are used, and no setting is
 * changed. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import { benchPrompt, benchPrompts, type ModelScore, scoreOf } from "./BenchScore.ts"
import { askServer, fitSetup, type ToolCalls } from "../../kit/models.ts"
import {
  addressKeys,
  benchMaterial,
  type Configuration,
  layerRun,
  makeTrial,
  ownFiles,
  pickSettings,
  Pipeline,
  renameModels,
  type Setup,
  withProviders
} from "../../kit/program.ts"
import { Approver, type RunEvent } from "../../plugin-kit.ts"

/** Receives the events of a model while the model works. */
export type BenchListener = (model: string, event: RunEvent) => Effect.Effect<void>

/** The user's settings for model calls. */
const callSettings = (configuration: Configuration): Configuration => {
  const { contextWindow, keepAlive, limits, sampling, think } = configuration
  const addresses = pickSettings(configuration, addressKeys)
  return { ...addresses, contextWindow, keepAlive, think, sampling, limits: { ...limits, rounds: 1 } }
}

/** Does one plan or run in its own project, and returns its events. */
const eventsOf = Effect.fnUntraced(function* (
  base: Setup,
  model: string,
  listen: BenchListener,
  form: ToolCalls,
  work: (pipeline: Pipeline["Service"]) => Effect.Effect<unknown, { readonly message: string }>
) {
  const { models, settings } = base
  const rules = ownFiles.map((rule) => Object.assign({}, rule, { source: "the comparison of models" }))
  const trialSettings = {
    configuration: { ...callSettings(base.configuration), toolCalls: form },
    settings,
    rules,
    models: { ...models, chosenBy: "user" as const }
  }
  const trial = yield* makeTrial("bench", { project: (yield* benchMaterial).files }, trialSettings)
  const { setup } = yield* fitSetup(renameModels(trial, new Map(), model), {})
  const events: Array<RunEvent> = []
  const context = {
    listen: ({ event }: { readonly event: RunEvent }) =>
      Effect.andThen(
        Effect.sync(() => void events.push(event)),
        listen(model, event)
      ),
    approveSteps: true,
    approver: Approver.layerNotAsked
  }
  yield* Pipeline.use(work).pipe(
    Effect.provide(layerRun(setup, context)),
    /* A failure is a result here, and the events record it. */
    Effect.catch(() => Effect.void)
  )
  return events
}, Effect.scoped)

/** Tries one model. The model first writes plans. It then carries out one given plan with each form of tool calls. */
const tryModel = Effect.fnUntraced(function* (
  base: Setup,
  model: string,
  listen: BenchListener,
  only: ToolCalls | undefined
) {
  const setup = yield* withProviders(renameModels(base, new Map(), model), [])
  const planned = yield* Effect.forEach(benchPrompts, (prompt, index) =>
    eventsOf(setup, model, listen, "text", (pipeline) => pipeline.plan({ runId: `bench-${index + 1}`, prompt }))
  )
  // Both forms are tried if the server does not say what the model can do.
  const facts = yield* askServer(setup, (server) => server.facts(model))
  const able = facts?.abilities.tools === false ? (["text"] as const) : (["text", "native"] as const)
  const { plan } = yield* benchMaterial
  const eventsByForm: Partial<Record<ToolCalls, ReadonlyArray<RunEvent>>> = {}
  for (const form of only === undefined ? able : [only]) {
    eventsByForm[form] = yield* eventsOf(setup, model, listen, form, (pipeline) =>
      pipeline.run({ runId: `bench-${form}`, prompt: benchPrompt, plan })
    )
  }
  return scoreOf(model, planned, eventsByForm, only)
})

/** Tries one model after another, so that no two use the server at once. `only` limits the forms of calls. */
export const benchModels = Effect.fn("benchModels")(
  (
    setup: Setup,
    models: ReadonlyArray<string>,
    listen: BenchListener,
    only?: ToolCalls
  ): Effect.Effect<
    ReadonlyArray<ModelScore>,
    Effect.Error<ReturnType<typeof tryModel>>,
    Effect.Services<ReturnType<typeof tryModel>>
  > => Effect.forEach(models, (model) => tryModel(setup, model, listen, only))
)
