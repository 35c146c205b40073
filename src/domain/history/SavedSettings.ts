/**
 * Which of the settings in a journal count when its run goes on. None of them permits anything, whoever wrote the journal:
 * rules, servers, declared tools and the sandbox are always those of the person's configuration.
 */
import * as Struct from "effect/Struct"
import type { Configuration } from "../configuration/Configuration.ts"
import type { StageGenerations } from "../models/Generation.ts"
import { isCloudModel } from "../skills/Skill.ts"

/** What neither sends anything to another place nor runs code. */
const harmless = [
  "contextWindow",
  "parallel",
  "limits",
  "referenceBudget",
  "deny",
  "keepAlive",
  "think",
  "sampling",
  "stages"
] as const

/** What the person chose with flags or options: where prompts go, and packages of tools. */
const chosen = [...harmless, "model", "host", "openaiBaseUrl", "plugins"] as const

type Settings = Pick<Configuration, (typeof chosen)[number]>

/** A model of a stage that is reached elsewhere is left out, as that of the run is. */
const withoutCloudModels = (stages: StageGenerations): StageGenerations =>
  Object.fromEntries(
    Object.entries(stages).map(([stage, { model, ...others }]) => [
      stage,
      model === undefined || isCloudModel(model) ? others : { model, ...others }
    ])
  )

/** The settings that count; `isOwn` says that this person provably wrote them. */
export const countedSettings = (settings: Configuration, isOwn: boolean): Settings => {
  if (isOwn) return pickPresent(settings, chosen)
  const { model, stages } = settings
  return {
    ...pickPresent(settings, harmless),
    ...(stages === undefined ? {} : { stages: withoutCloudModels(stages) }),
    ...(model === undefined || isCloudModel(model) ? {} : { model })
  }
}

const pickPresent = <K extends keyof Configuration>(
  settings: Configuration,
  keys: ReadonlyArray<K>
): Pick<Configuration, K> =>
  Struct.pick(
    settings,
    keys.filter((key) => settings[key] !== undefined)
  )
