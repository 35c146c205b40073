/**
 * The options that all functions for scripts share, and the conductor that they ask for.
 */
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
 * What runs and conversations share. What is left out comes from the configuration files and the environment, as for
 * the command line.
 */
export interface ScriptOptions extends ProgramSettings {
  /**
   * A name as for `--model`, a function that answers, or a language model of effect/ai; one of the AI SDK is `aiSdkModel(model)`. When none
   * is named anywhere, the promise rejects with `ModelUnchosen`, which has the models of the server.
   */
  readonly model?: string | ModelFunction | Layer.Layer<LanguageModel.LanguageModel>
  /** Answers approvals; without it whatever needs one is denied. */
  readonly approve?: Approve
  /** Answers questions that the model asks instead of a plan, a report or an answer; without it nobody does. */
  readonly answer?: AnswerQuestion
  /**
   * Plugins as values, or as in a configuration file: packages by name and paths, looked for from the current folder. What a plugin
   * can be set to stands behind it: `[plugin, { ... }]`.
   */
  readonly plugins?: ReadonlyArray<ProgramPlugin>
  /** The script's own tools, by name, beside those that are built in. */
  readonly tools?: Tools
  /** A folder of the script's own skills, with a folder for each: `new URL("./skills/", import.meta.url)`. */
  readonly skills?: URL
  /**
   * Where runs are saved; `task-conductor` in `$XDG_STATE_HOME` or `~/.local/state`, as for the command line, when absent. No
   * tool writes there.
   */
  readonly stateFolder?: string
  /** Interrupts the work when it aborts; a saved run can be resumed. */
  readonly signal?: AbortSignal
}

/** What decides beside the settings. */
interface Deciding {
  readonly arbitrate?: Arbitrate | undefined
  /** False saves nothing. */
  readonly keep?: boolean
}

/** Options of any function for scripts; the list of names that a conversation takes as `tools` brings no tool. */
type AnyOptions = Omit<ScriptOptions, "tools"> & Deciding & { readonly tools?: ReadonlyArray<string> | Tools }

const ownPlugins = ({ plugins, skills, tools }: AnyOptions): ReadonlyArray<Plugin> => [
  ...pluginValues(plugins),
  ...(tools === undefined || Array.isArray(tools)
    ? []
    : [definePlugin({ name: programOrigin, tools: tools as Tools })]),
  ...(skills === undefined ? [] : [definePlugin({ name: skillsOrigin, skills })])
]

/** What the work of a script gets. */
export const programContextOf = (options: AnyOptions): ProgramContext => {
  const { model } = options
  const layer = typeof model === "function" ? makeFunctionModel(model) : model
  return {
    approver: layerCallback(options),
    plugins: ownPlugins(options),
    ...(layer === undefined || typeof layer === "string" ? {} : { model: layer })
  }
}

/** The conductor that the options ask for. */
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

/** Has the conductor that the options ask for do what a function of this name does. */
export const conduct = <A, E, R>(
  name: FunctionName,
  options: AnyOptions,
  use: (conductor: Conductor["Service"]) => Effect.Effect<A, E, R>
) => withOptions(options, name, () => Effect.provide(Conductor.use(use), layerConductor(options)))
