/**
 * The parts of a conductor: its model, tools, skills, approvals, saved runs and machine. For each part, a layer can
 * replace the default.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { RunContext } from "../app/RunContext.ts"
import type { NodeServices } from "../app/NodeServices.ts"
import { type ApprovalCallbacks, layerCallback } from "../app/callbackApprover.ts"
import { programOrigin } from "../domain/tools/ToolCall.ts"
import { Approver } from "../services/approvals/Approver.ts"
import { definePlugin, type Plugin } from "../services/tools/Plugin.ts"
import { toolkitPlugin } from "../services/tools/ToolkitPlugin.ts"
import type { Tools } from "../services/tools/Tool.ts"
import { skillsOrigin } from "./ConductorError.ts"
import { makeFunctionModel, type ModelFunction } from "./functionModel.ts"

const key = (part: string) => `task-conductor/library/conductorParts/${part}`

export const ModelPart = Context.Reference<Layer.Layer<LanguageModel.LanguageModel> | undefined>(key("ModelPart"), {
  defaultValue: () => undefined
})

/**
 * Provides the model that answers. Without a layer of `Models`, the settings name a model, and its server answers.
 *
 * @example
 * ```ts
 * import { Conductor, Models } from "task-conductor/effect"
 * import * as Layer from "effect/Layer"
 *
 * const model = Models.function(async ({ messages }) => `${messages.length} messages`)
 * export const conductor = Conductor.layer().pipe(Layer.provide(model))
 * ```
 */
export const Models = {
  /** A language model of effect/ai. */
  layer: <E, R>(model: Layer.Layer<LanguageModel.LanguageModel, E, R>): Layer.Layer<never, E, R> =>
    Layer.effect(
      ModelPart,
      Effect.map(Layer.build(model), (built) => Layer.succeedContext(built))
    ),
  /** A function that returns each answer. */
  function: (answer: ModelFunction): Layer.Layer<never> => Layer.succeed(ModelPart)(makeFunctionModel(answer))
}

export const PluginPart = Context.Reference<ReadonlyArray<Plugin>>(key("PluginPart"), { defaultValue: () => [] })

/** A layer that adds its plugins to those of the layers that are provided to it. */
const withPlugins = <E, R>(
  plugins: Effect.Effect<ReadonlyArray<Plugin>, E, R>
): Layer.Layer<never, E, Exclude<R, Scope.Scope>> =>
  Layer.effect(
    PluginPart,
    Effect.zipWith(PluginPart, plugins, (before, more) => [...before, ...more])
  )

/**
 * Adds tools of the program to the built-in tools. Layers of tools that stand side by side replace each other, so name
 * all tools in one layer.
 *
 * @example
 * ```ts
 * import { tool, Tools } from "task-conductor/effect"
 * import * as Context from "effect/Context"
 * import * as Effect from "effect/Effect"
 * import type * as Layer from "effect/Layer"
 *
 * class Orders extends Context.Service<Orders, { readonly open: Effect.Effect<ReadonlyArray<number>> }>()("Orders") {}
 *
 * export const tools: Layer.Layer<never, never, Orders> = Tools.layer(
 *   Effect.map(Orders, ({ open }) => ({
 *     find_orders: tool({
 *       description: "Lists the open orders.",
 *       parameters: { type: "object", properties: {} },
 *       risk: "safe",
 *       effect: "pure",
 *       execute: () => open
 *     })
 *   }))
 * )
 * ```
 */
export const ProgramTools = {
  /**
   * Adds tools, each under its name. `tools` may be an effect, which may require services for the `execute` functions.
   */
  layer: <E = never, R = never>(
    tools: Tools | Effect.Effect<Tools, E, R>
  ): Layer.Layer<never, E, Exclude<R, Scope.Scope>> =>
    withPlugins(
      Effect.map(Effect.isEffect(tools) ? tools : Effect.succeed(tools), (ready) => [
        definePlugin({ name: programOrigin, tools: ready })
      ])
    ),
  /** A toolkit of effect/ai with the layer of its handlers. */
  toolkit: <Kit extends Record<string, Tool.Any>, E, R>(
    toolkit: Toolkit.Toolkit<Kit>,
    handlers: Layer.Layer<Tool.HandlersFor<Kit>, E, R>
  ): Layer.Layer<never, E, Exclude<R, Scope.Scope>> =>
    withPlugins(
      Effect.map(Layer.build(handlers), (built) => [
        toolkitPlugin({ name: programOrigin, toolkit, layer: Layer.succeedContext(built) })
      ])
    ),
  /** Plugins as values, with tools, configuration, secrets, skills and models. */
  plugins: (...plugins: ReadonlyArray<Plugin>): Layer.Layer<never> => withPlugins(Effect.succeed(plugins))
}

/**
 * Adds skills of the program to the skills of the project and the user.
 *
 * @example
 * ```ts
 * import { Skills } from "task-conductor/effect"
 *
 * export const skills = Skills.layer(new URL("./skills/", import.meta.url))
 * ```
 */
export const ProgramSkills = {
  /** Adds the skills in a folder, which contains one folder for each skill: `new URL("./skills/", import.meta.url)`. */
  layer: (folder: URL): Layer.Layer<never> =>
    withPlugins(Effect.succeed([definePlugin({ name: skillsOrigin, skills: folder })]))
}

export const ApproverPart = Context.Reference<RunContext["approver"]>(key("ApproverPart"), {
  defaultValue: () => Approver.layerDenyAll
})

/**
 * Answers approvals and questions of the model. Without a layer of `Approvals`, nobody answers.
 *
 * @example
 * ```ts
 * import { Approvals } from "task-conductor/effect"
 *
 * export const approvals = Approvals.functions({
 *   approve: ({ items }) => items.every(({ tool }) => tool === "edit_file"),
 *   answer: async (question) => `I do not know: ${question}`
 * })
 * ```
 */
export const Approvals = {
  /** Callback functions, as for scripts. */
  functions: (callbacks: ApprovalCallbacks): Layer.Layer<never> =>
    Layer.succeed(ApproverPart)(layerCallback(callbacks)),
  /** An `Approver` of your own, as its layer. */
  layer: <E, R>(approver: Layer.Layer<Approver, E, R>): Layer.Layer<never, E, R> =>
    Layer.effect(
      ApproverPart,
      Effect.map(Layer.build(approver), (built) => Layer.succeedContext(built))
    )
}

/**
 * Where runs are saved: in a folder, or nowhere ("memory"). An empty folder name means the folder that the command line
 * uses.
 */
type SavedIn = "memory" | { readonly folder: string }

export const SavePart = Context.Reference<SavedIn>(key("SavePart"), { defaultValue: () => ({ folder: "" }) })

/**
 * The place where runs are saved. Without a layer of `Journal`, it is the place that the command line uses.
 *
 * @example
 * ```ts
 * import { Conductor, Journal } from "task-conductor/effect"
 * import * as Layer from "effect/Layer"
 *
 * export const unsaved = Conductor.layer().pipe(Layer.provide(Journal.memory))
 * export const elsewhere = Conductor.layer().pipe(Layer.provide(Journal.folder("/var/lib/runs")))
 * ```
 */
export const SavedRuns = {
  folder: (folder: string): Layer.Layer<never> => Layer.succeed(SavePart)({ folder }),
  /** Saves nothing: the run cannot be resumed, and no list contains it. */
  memory: Layer.succeed(SavePart)("memory")
}

export const HostPart = Context.Reference<Layer.Layer<NodeServices> | undefined>(key("HostPart"), {
  defaultValue: () => undefined
})

/**
 * The files, programs and terminal of the machine. Without a layer, Node provides them.
 *
 * @example
 * ```ts
 * import { Host } from "task-conductor/effect"
 * import * as NodeServices from "@effect/platform-node/NodeServices"
 *
 * export const host = Host.layer(NodeServices.layer)
 * ```
 */
export const Host = {
  layer: <E, R>(services: Layer.Layer<NodeServices, E, R>): Layer.Layer<never, E, R> =>
    Layer.effect(
      HostPart,
      Effect.map(Layer.build(services), (built) => Layer.succeedContext(built))
    )
}
