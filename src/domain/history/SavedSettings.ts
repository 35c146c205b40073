/**
 * Decides which settings of a journal apply to a resumed run. They never give permissions, because anybody may have
 * written the journal. Rules, servers, declared tools and the sandbox always come from the user's configuration.
 */
import { addressKeys, type Configuration, pickSettings } from "../configuration/Configuration.ts"
import type { StageGenerations } from "../models/Generation.ts"

/** Settings that neither send data elsewhere nor run code. */
const harmless = [
  "contextWindow",
  "parallel",
  "plans",
  "limits",
  "referenceBudget",
  "deny",
  "keepAlive",
  "think",
  "toolCalls",
  "modelToolCalls",
  "lookBack",
  "sampling",
  "stages",
  "askFirst"
] as const

/**
 * The settings that a run saves, also those from flags and options. They are the harmless settings, the model, the
 * address for prompts, packages of tools, and checks.
 */
export const savedKeys = [...harmless, "model", ...addressKeys, "plugins", "checks"] as const

type Settings = Pick<Configuration, (typeof savedKeys)[number]>

/** True for a model whose prompts may leave the machine. */
type LeavesMachine = (model: string) => boolean

/** Removes the model of a stage if its prompts would leave the machine. */
const withoutModelsElsewhere = (stages: StageGenerations, leavesMachine: LeavesMachine): StageGenerations =>
  Object.fromEntries(
    Object.entries(stages).map(([stage, { model, ...others }]) => [
      stage,
      model === undefined || leavesMachine(model) ? others : { model, ...others }
    ])
  )

/**
 * The saved settings that apply to the resumed run. `isOwn` is true if this user provably wrote the journal. In this
 * case, all saved settings apply.
 */
export const countedSettings = (settings: Configuration, isOwn: boolean, leavesMachine: LeavesMachine): Settings => {
  if (isOwn) return pickSettings(settings, savedKeys)
  const { model, stages } = settings
  return {
    ...pickSettings(settings, harmless),
    ...(stages === undefined ? {} : { stages: withoutModelsElsewhere(stages, leavesMachine) }),
    ...(model === undefined || leavesMachine(model) ? {} : { model })
  }
}
