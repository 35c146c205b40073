/**
 * Which of the settings in a journal count when its run goes on. None of them permits anything, whoever wrote the journal:
 * rules, servers, declared tools and the sandbox are always those of the person's configuration.
 */
import { addressKeys, type Configuration, pickSettings } from "../configuration/Configuration.ts"
import type { StageGenerations } from "../models/Generation.ts"

/** What neither sends anything to another place nor runs code. */
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

/** What a run saves: also what the person chose with flags or options, where prompts go and packages of tools. */
export const savedKeys = [...harmless, "model", ...addressKeys, "plugins", "checks"] as const

type Settings = Pick<Configuration, (typeof savedKeys)[number]>

/** True for a model whose prompts may leave the machine. */
type LeavesMachine = (model: string) => boolean

/** A model of a stage that is reached elsewhere is left out, as that of the run is. */
const withoutModelsElsewhere = (stages: StageGenerations, leavesMachine: LeavesMachine): StageGenerations =>
  Object.fromEntries(
    Object.entries(stages).map(([stage, { model, ...others }]) => [
      stage,
      model === undefined || leavesMachine(model) ? others : { model, ...others }
    ])
  )

/** The settings that count; `isOwn` says that this person provably wrote them. */
export const countedSettings = (settings: Configuration, isOwn: boolean, leavesMachine: LeavesMachine): Settings => {
  if (isOwn) return pickSettings(settings, savedKeys)
  const { model, stages } = settings
  return {
    ...pickSettings(settings, harmless),
    ...(stages === undefined ? {} : { stages: withoutModelsElsewhere(stages, leavesMachine) }),
    ...(model === undefined || leavesMachine(model) ? {} : { model })
  }
}
