/** The settings of a run: the configuration, with defaults for missing values. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { defaultLimits, type Limits } from "../../domain/configuration/Limits.ts"
import { defaultContextWindow } from "../../domain/models/ContextWindow.ts"

export interface Settings extends Configuration {
  readonly limits: Limits
  /** The name of the model as the user wrote it. */
  readonly model: string
  /** The address of the model's server. Empty if the model has no server. */
  readonly host: string
  /** The context window in tokens. It stays the same for the whole run. */
  readonly contextWindow: number
  readonly parallel: number
  readonly referenceBudget: number
  /** True if the user named the checks with a flag, an option or the user's own configuration. */
  readonly namesChecks?: boolean
}

export const defaultSettings: Settings = {
  limits: defaultLimits,
  model: "embedded",
  host: "",
  contextWindow: defaultContextWindow,
  parallel: 2,
  referenceBudget: 16_384
}

/**
 * The window in tokens, and the budget for references in characters. The default budget is half of the window, at four
 * characters per token.
 */
export const windowSettings = ({ referenceBudget }: Configuration, contextWindow: number) => ({
  contextWindow,
  referenceBudget: referenceBudget ?? contextWindow * 2
})

export const settingsOf = (configuration: Configuration, host: string): Settings => ({
  ...configuration,
  host,
  model: configuration.model ?? defaultSettings.model,
  parallel: configuration.parallel ?? defaultSettings.parallel,
  ...windowSettings(configuration, configuration.contextWindow ?? defaultSettings.contextWindow),
  limits: { ...defaultLimits, ...configuration.limits }
})

export class RunSettings extends Context.Service<RunSettings, Settings>()("task-conductor/services/runs/RunSettings") {
  static readonly layer = (settings: Partial<Settings> = {}): Layer.Layer<RunSettings> =>
    Layer.succeed(RunSettings)(RunSettings.of({ ...defaultSettings, ...settings }))
}
