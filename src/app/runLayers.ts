/**
 * Composition root: the only place that picks implementations for runs and conversations, with projectLayers for what
 * they share. Callers pass what a person or a script set; this file turns it into settings, rules and layers.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { stageModel, toolCallsFor } from "../domain/models/Generation.ts"
import { Agent } from "../services/agent/Agent.ts"
import { Activities } from "../services/journal/Activities.ts"
import { layerAsker } from "../services/conversation/AskSession.ts"
import { Attempts } from "../services/pipeline/Attempts.ts"
import { Briefer } from "../services/pipeline/Briefer.ts"
import { Checks } from "../services/checks/Checks.ts"
import { Evidence } from "../services/references/Evidence.ts"
import { type Gate } from "../services/permissions/Gate.ts"
import { ProjectWriteLock } from "../services/permissions/ProjectWriteLock.ts"
import type { Journal } from "../services/journal/Journal.ts"
import { ModelCaller } from "../services/models/ModelCaller.ts"
import { ModelSlots } from "../services/models/ModelSlots.ts"
import { layerRunFlow } from "../services/pipeline/RunFlow.ts"
import { PlanChecker } from "../services/pipeline/PlanChecker.ts"
import { Prompts } from "../services/models/Prompts.ts"
import { References } from "../services/references/References.ts"
import { TaskLoop } from "../services/pipeline/TaskLoop.ts"
import { Reviser } from "../services/pipeline/Reviser.ts"
import { Scheduler } from "../services/pipeline/Scheduler.ts"
import { TaskRunner } from "../services/pipeline/TaskRunner.ts"
import { TokenCalibration } from "../services/models/TokenCalibration.ts"
import type { ToolRegistry } from "../services/tools/ToolRegistry.ts"
import { ToolRunner } from "../services/tools/ToolRunner.ts"
import { ToolSupport } from "../services/models/ToolSupport.ts"
import { RunSettings } from "../services/runs/RunSettings.ts"
import { UsageMeter } from "../services/runs/UsageMeter.ts"
import { answerReserve } from "../domain/models/PromptSize.ts"
import { layerCurrentServer } from "../services/providers/Provider.ts"
import { providerOf } from "../services/providers/providers.ts"
import { addressOf, providerOfRun, type Setup } from "./setup.ts"
import { layerProject } from "./projectLayers.ts"
import type { RunContext } from "./RunContext.ts"

/** The model that the settings name, with what its server knows of it. */
export const layerModel = (setup: Setup) => {
  const { configuration, modelFacts, settings } = setup
  const provider = providerOfRun(setup)
  const model = provider.model({
    ...addressOf(setup),
    model: settings.model,
    contextWindow: settings.contextWindow,
    maxAnswerTokens: answerReserve(settings.contextWindow),
    keepAlive: configuration.keepAlive
  })
  if (provider.connect === undefined) return model
  return Layer.merge(
    model,
    layerCurrentServer(provider.connect(addressOf(setup)), {
      asked: modelFacts,
      serves: (name) => providerOf(name, setup.providers) === provider
    })
  )
}

/** Whether the server of a setup lets a model call tools. */
const layerToolSupport = (setup: Setup, model: string, isNeeded: boolean): Layer.Layer<ToolSupport> => {
  const { connect } = providerOfRun(setup)
  return connect === undefined
    ? ToolSupport.layerBlind(model)
    : Layer.unwrap(Effect.map(connect(addressOf(setup)), (server) => ToolSupport.layerServer(server, model, isNeeded)))
}

/** What every model call needs, beside the model and the run. */
export const layerCalls = (
  { replay, worker }: RunContext,
  activities: Layer.Layer<Activities, never, Journal> = replay?.activities ?? Activities.layer
) =>
  ModelCaller.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        worker?.slots ?? ModelSlots.layer,
        TokenCalibration.layer,
        worker?.meter ?? UsageMeter.layer,
        Prompts.layer
      )
    ),
    Layer.provideMerge(activities)
  )

/** One task at a time, refined and carried out here. */
export const layerTasks = Layer.mergeAll(PlanChecker.layer, TaskLoop.layer, TaskRunner.layer).pipe(
  Layer.provide(Agent.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      Attempts.layer,
      Checks.layer,
      Evidence.layer,
      References.layer,
      ToolRunner.layerSettings,
      Briefer.layer
    )
  )
)

/** From the request to the answer, over whatever refines and runs tasks. */
export const layerPipeline = layerRunFlow.pipe(Layer.provide(Layer.merge(Reviser.layer, Scheduler.layer)))

/** The stages of a run, each to be used by itself. */
export const layerStages = (setup: Setup, context: RunContext, lock: Parameters<typeof layerProject>[2]) =>
  Reviser.layer.pipe(
    Layer.provideMerge(layerTasks),
    Layer.provideMerge(layerCalls(context)),
    Layer.provide(context.model ?? layerModel(setup)),
    Layer.provideMerge(layerProject(setup, context, lock))
  )

/** A conversation over models, tools and project. */
const layerConversation = layerAsker.pipe(
  Layer.provide(Layer.merge(Agent.layer, TaskRunner.layer)),
  Layer.provide(Layer.mergeAll(Briefer.layer, Checks.layer, Evidence.layer, References.layer, ToolRunner.layerSettings))
)

/** Everything a run needs; `lock` keeps others from changing the project meanwhile. */
export const layerRun = (
  setup: Setup,
  context: RunContext,
  lock: Parameters<typeof layerProject>[2] = ProjectWriteLock.layerHeld
) =>
  layerPipeline.pipe(
    Layer.provide(layerTasks),
    Layer.provide(layerCalls(context)),
    Layer.provide(context.model ?? layerModel(setup)),
    Layer.provide(context.replay?.decisions ?? Layer.effectContext(Effect.context<Gate | ToolRegistry>())),
    Layer.provideMerge(layerProject(setup, context, lock))
  )

/** A conversation with the model of this setup, over tools and a project that may have been opened with another model. */
export const layerAskModel = (setup: Setup, context: RunContext) => {
  const { settings } = setup
  const isNative = toolCallsFor(settings, "ask") === "native"
  const toolSupport =
    context.model === undefined
      ? layerToolSupport(setup, stageModel(settings, "ask") ?? settings.model, isNative)
      : ToolSupport.layerAssumed
  return layerConversation.pipe(
    Layer.provide(layerCalls(context)),
    Layer.provide(context.model ?? layerModel(setup)),
    Layer.provideMerge(toolSupport),
    Layer.provide(RunSettings.layer(setup.settings))
  )
}

/** Everything a conversation needs; `lock` keeps others from changing the project meanwhile. */
export const layerAsk = (setup: Setup, context: RunContext, lock: Parameters<typeof layerProject>[2]) =>
  layerAskModel(setup, context).pipe(Layer.provideMerge(layerProject(setup, context, lock)))
