/**
 * Compares models on a small set of tasks: each plans three prompts and carries out one plan, with its tool calls
 * as text and through the interface of the server, in a temporary project and with
 * a temporary home. Nothing of the person is read but how their server is reached, and nothing of theirs is changed. Part
 * of the composition root.
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

/** Receives the events of a model while it works. */
export type BenchListener = (model: string, event: RunEvent) => Effect.Effect<void>

/** What of the person's settings says how models are called. */
const callSettings = (configuration: Configuration): Configuration => {
  const { contextWindow, keepAlive, limits, sampling, think } = configuration
  const addresses = pickSettings(configuration, addressKeys)
  return { ...addresses, contextWindow, keepAlive, think, sampling, limits: { ...limits, rounds: 1 } }
}

/** The events of one piece of work in a project of its own. */
const eventsOf = Effect.fnUntraced(function* (
  given: Setup,
  model: string,
  listen: BenchListener,
  form: ToolCalls,
  work: (pipeline: Pipeline["Service"]) => Effect.Effect<unknown, { readonly message: string }>
) {
  const { models, settings } = given
  const rules = ownFiles.map((rule) => Object.assign({}, rule, { source: "the comparison of models" }))
  const own = {
    configuration: { ...callSettings(given.configuration), toolCalls: form },
    settings,
    rules,
    models: { ...models, chosenBy: "user" as const }
  }
  const trial = yield* makeTrial("bench", { project: (yield* benchMaterial).files }, own)
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
    /* A model that cannot do it is what the comparison is about; what failed is in the events. */
    Effect.catch(() => Effect.void)
  )
  return events
}, Effect.scoped)

/** Tries one model: plans, which need no tools, and the tasks of one plan in each form of tool calls. */
const tryModel = Effect.fnUntraced(function* (
  found: Setup,
  model: string,
  listen: BenchListener,
  only: ToolCalls | undefined
) {
  const given = yield* withProviders(renameModels(found, new Map(), model), [])
  const planned = yield* Effect.forEach(benchPrompts, (prompt, index) =>
    eventsOf(given, model, listen, "text", (pipeline) => pipeline.plan({ runId: `bench-${index + 1}`, prompt }))
  )
  // Where the server does not say it, both forms are tried.
  const facts = yield* askServer(given, (server) => server.facts(model))
  const able = facts?.abilities.tools === false ? (["text"] as const) : (["text", "native"] as const)
  const { plan } = yield* benchMaterial
  const tried: Partial<Record<ToolCalls, ReadonlyArray<RunEvent>>> = {}
  for (const form of only === undefined ? able : [only]) {
    tried[form] = yield* eventsOf(given, model, listen, form, (pipeline) =>
      pipeline.run({ runId: `bench-${form}`, prompt: benchPrompt, plan })
    )
  }
  return scoreOf(model, planned, tried, only)
})

/** Tries the models one after another, so that each has the server for itself; `only` is the one form to try. */
export const benchModels = Effect.fn("benchModels")(
  (
    given: Setup,
    models: ReadonlyArray<string>,
    listen: BenchListener,
    only?: ToolCalls
  ): Effect.Effect<
    ReadonlyArray<ModelScore>,
    Effect.Error<ReturnType<typeof tryModel>>,
    Effect.Services<ReturnType<typeof tryModel>>
  > => Effect.forEach(models, (model) => tryModel(given, model, listen, only))
)
