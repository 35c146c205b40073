/** The options that all functions for scripts share, and the conductor for them. */
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AnswerQuestion, Approve, Arbitrate } from "../app/callbackApprover.ts"
import { layerCallback } from "../app/callbackApprover.ts"
import { programOrigin } from "../domain/tools/ToolCall.ts"
import { definePlugin, type Plugin } from "../services/tools/Plugin.ts"
import type { Tools } from "../services/tools/Tool.ts"
import { Conductor } from "./Conductor.ts"
import { skillsOrigin } from "./ConductorError.ts"
import { ApproverPart, ModelPart, PluginPart, SavePart } from "./conductorParts.ts"
import { type FunctionName, withOptions } from "./optionNames.ts"
import { makeFunctionModel, type ModelFunction } from "./functionModel.ts"
import { type ProgramPlugin, type ProgramSettings, pluginValues } from "./programSettings.ts"
import type { ProgramContext } from "./runContextOf.ts"

/**
 * The options that runs and conversations share. An absent option comes from the configuration files and the
 * environment, as for the command line.
 */
export interface ScriptOptions extends ProgramSettings {
  /**
   * The name of a model as for `--model`, a function that returns answers, or a language model of effect/ai. For the AI
   * SDK, use `aiSdkModel(model)`. Without a model here or in a configuration, the promise rejects with `ModelUnchosen`,
   * which lists the server's models.
   */
  readonly model?: string | ModelFunction | Layer.Layer<LanguageModel.LanguageModel>
  /** Answers approvals. Without it, every call that needs an approval is denied. */
  readonly approve?: Approve
  /**
   * Answers questions of the model. A model may ask one when it should write a plan, a report or an answer. Without
   * this function, nobody answers.
   */
  readonly answer?: AnswerQuestion
  /**
   * Plugins as values, or packages by name or path, searched from the current folder. `[plugin, { ... }]` adds a
   * configuration.
   */
  readonly plugins?: ReadonlyArray<ProgramPlugin>
  /** The script's own tools by name, beside the built-in tools. */
  readonly tools?: Tools
  /** A folder with one folder for each of the script's own skills: `new URL("./skills/", import.meta.url)`. */
  readonly skills?: URL
  /**
   * The folder for saved runs. Default: `task-conductor` in `$XDG_STATE_HOME` or `~/.local/state`, as for the command
   * line. No tool writes there.
   */
  readonly stateFolder?: string
  /** Interrupts the work when aborted. A saved run can then be resumed. */
  readonly signal?: AbortSignal
}

/** The options of the functions for scripts, except the settings. */
interface Deciding {
  readonly arbitrate?: Arbitrate | undefined
  readonly keep?: boolean
}

/**
 * The options of any function for scripts. In a conversation, `tools` may be a list of names. The names choose among
 * existing tools and add none.
 */
type AnyOptions = Omit<ScriptOptions, "tools"> & Deciding & { readonly tools?: ReadonlyArray<string> | Tools }

const ownPlugins = ({ plugins, skills, tools }: AnyOptions): ReadonlyArray<Plugin> => [
  ...pluginValues(plugins),
  ...(tools === undefined || Array.isArray(tools)
    ? []
    : [definePlugin({ name: programOrigin, tools: tools as Tools })]),
  ...(skills === undefined ? [] : [definePlugin({ name: skillsOrigin, skills })])
]

export const programContextOf = (options: AnyOptions): ProgramContext => {
  const { model } = options
  const layer = typeof model === "function" ? makeFunctionModel(model) : model
  return {
    approver: layerCallback(options),
    plugins: ownPlugins(options),
    ...(layer === undefined || typeof layer === "string" ? {} : { model: layer })
  }
}

const layerConductor = (options: AnyOptions): Layer.Layer<Conductor> => {
  const { keep = true, model, stateFolder: folder = "", ...settings } = options
  const context = programContextOf(options)
  const plugins = (options.plugins ?? []).filter((plugin) => pluginValues([plugin]).length === 0)
  return Conductor.layer({ ...settings, ...(typeof model === "string" ? { model } : {}), plugins }).pipe(
    Layer.provide([
      Layer.succeed(ApproverPart)(context.approver),
      Layer.succeed(ModelPart)(context.model),
      Layer.succeed(PluginPart)(context.plugins),
      Layer.succeed(SavePart)(keep ? { folder } : "memory")
    ])
  )
}

/** Carries out the work of the function `name` with these options. */
export const conduct = <A, E, R>(
  name: FunctionName,
  options: AnyOptions,
  use: (conductor: Conductor["Service"]) => Effect.Effect<A, E, R>
) => withOptions(options, name, () => Effect.provide(Conductor.use(use), layerConductor(options)))
