/**
 * The settings of a run: limits and sizes, from flags, environment and configuration.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { defaultLimits, type Limits } from "../../domain/configuration/Limits.ts"
import { defaultContextWindow } from "../../domain/models/ContextWindow.ts"
import type { Generation } from "../../domain/models/Generation.ts"

export interface Settings {
  readonly limits: Limits
  /** The name of the model, as the person gave it. */
  readonly model: string
  /** The address of the model server; empty for a model without one. */
  readonly host: string
  /** The context window in tokens; one value for the whole run. */
  readonly contextWindow: number
  /** How many calls the model server works on at the same time. */
  readonly slots: number
  /** The most characters that the references of one task may resolve to. */
  readonly referenceBudget: number
  /** How the model thinks and samples; what is absent is left to it. */
  readonly generation: Generation
}

/** A window of 8192 tokens, two slots, and half of the window for references (4 characters a token). */
export const defaultSettings: Settings = {
  limits: defaultLimits,
  model: "embedded",
  host: "",
  contextWindow: defaultContextWindow,
  slots: 2,
  referenceBudget: 16_384,
  generation: {}
}

export class RunSettings extends Context.Service<RunSettings, Settings>()("task-conductor/services/runs/RunSettings") {
  static readonly layer = (settings: Partial<Settings> = {}): Layer.Layer<RunSettings> =>
    Layer.succeed(RunSettings)(RunSettings.of({ ...defaultSettings, ...settings }))
}
