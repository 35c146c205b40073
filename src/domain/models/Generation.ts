/**
 * The user's settings for answers of models: thinking, sampling and tool calls, for a whole run and for single stages.
 */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

/** Tells whether, or how much, a model thinks before it answers. */
export const Think = Schema.Union([Schema.Boolean, Schema.Literals(["low", "medium", "high"])])
export type Think = typeof Think.Type

const between = (minimum: number, maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum, maximum }))
const whole = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const key = <A>(schema: Schema.Codec<A>, description: string) => Schema.optionalKey(schema.annotate({ description }))

/** Sampling parameters. For an absent parameter, the model or its server chooses the value. */
export const Sampling = Schema.Struct({
  temperature: key(between(0, 2), "Sampling temperature, 0 to 2."),
  topP: key(between(0, 1), "Sampling considers the most probable words up to this total probability."),
  topK: key(whole(1_000_000), "Sampling considers this many of the most probable words."),
  minP: key(between(0, 1), "Sampling considers words with at least this share of the best word's probability."),
  seed: key(whole(2_147_483_647), "Sampling seed: with the same seed, the same prompt gets the same answer."),
  repeatPenalty: key(between(0, 10), "Penalty for repeated words; 1 is none.")
})
export type Sampling = typeof Sampling.Type

/** How a model calls tools: in the text of its answer, or natively through the server. */
export const ToolCalls = Schema.Literals(["text", "native"])
export type ToolCalls = typeof ToolCalls.Type

/** The embedded model can only do a whole run, not a single stage. */
const StageModel = Schema.NonEmptyString.check(
  Schema.isPattern(/^(?!embedded$)/, {
    expected: 'a model of the server; "embedded" can only be the model of a whole run'
  })
)

export const StageGeneration = Schema.Struct({
  model: Schema.optionalKey(StageModel),
  think: Schema.optionalKey(Think),
  sampling: Schema.optionalKey(Sampling),
  toolCalls: Schema.optionalKey(ToolCalls)
})
export type StageGeneration = typeof StageGeneration.Type

const stage = Schema.optionalKey(StageGeneration)

/** The settings of stages, by the names that events use for stages. */
export const StageGenerations = Schema.Struct({
  plan: stage,
  task: stage,
  iterate: stage,
  conclude: stage,
  ask: stage
})
export type StageGenerations = typeof StageGenerations.Type
export type GeneratingStage = keyof StageGenerations

export const generatingStages = Object.keys(StageGenerations.fields) as ReadonlyArray<GeneratingStage>

/** All settings of the user for answers. */
export interface Generation extends Omit<StageGeneration, "model"> {
  readonly stages?: StageGenerations
}

/** The settings for answers in a stage. Settings of the stage override settings of the run. */
export const generationFor = (
  settings: Generation,
  name: GeneratingStage
): Omit<StageGeneration, "model" | "toolCalls"> => {
  const stageSettings = settings.stages?.[name]
  const think = stageSettings?.think ?? settings.think
  return { sampling: { ...settings.sampling, ...stageSettings?.sampling }, ...(think === undefined ? {} : { think }) }
}

/** How models call tools, by the name of the model. A name without a tag means the tag `latest`. */
export const ModelToolCalls = Schema.Record(Schema.String, ToolCalls)
export type ModelToolCalls = typeof ModelToolCalls.Type

/** The setting for this model. The tag `latest` may be missing in the setting or in the name of the model. */
export const toolCallsOfModel = (set: ModelToolCalls = {}, model: string): ToolCalls | undefined => {
  const bare = model.replace(/:latest$/, "")
  return [model, bare, `${bare}:latest`].flatMap((name) => (Object.hasOwn(set, name) ? (set[name] ?? []) : []))[0]
}

/**
 * How a stage calls tools. The setting of the stage overrides that of the run, which overrides that of the model.
 * `model` may be the model of a skill.
 */
export const toolCallsFor = (
  settings: WithModel & { readonly modelToolCalls?: ModelToolCalls },
  name: GeneratingStage,
  model = stageModel(settings, name) ?? settings.model ?? ""
): ToolCalls =>
  settings.stages?.[name]?.toolCalls ?? settings.toolCalls ?? toolCallsOfModel(settings.modelToolCalls, model) ?? "text"

/** The model of a stage. Undefined for the model of the run. */
export const stageModel = ({ stages }: Pick<Generation, "stages">, name: GeneratingStage): string | undefined =>
  stages?.[name]?.model

/** The field `stageModels`: the model of each stage that has its own model. An empty object if no stage has one. */
export const stageModelsOf = ({ stages = {} }: Pick<Generation, "stages">) => {
  const own = Object.entries(stages).flatMap(([name, { model }]) => (model === undefined ? [] : [[name, model]]))
  const models: { readonly stageModels?: Readonly<Record<string, string>> } =
    own.length === 0 ? {} : { stageModels: Object.fromEntries(own) }
  return models
}

/** The user's settings, with the model of the run. */
interface WithModel extends Generation {
  readonly model?: string
}

/**
 * Merges two settings key by key; `overrides` wins. `think`, `toolCalls` and `model` of `overrides` also replace those
 * of stages in `base`, so `--think off` applies to all stages.
 */
export const mergeGeneration = (base: WithModel, overrides: WithModel): Generation => {
  const think = overrides.think ?? base.think
  const toolCalls = overrides.toolCalls ?? base.toolCalls
  const dropped = (["think", "toolCalls", "model"] as const).filter((key) => overrides[key] !== undefined)
  const sampling = { ...base.sampling, ...overrides.sampling }
  const stages = Object.fromEntries(
    generatingStages.flatMap((name) => {
      const [old, override] = [base.stages?.[name], overrides.stages?.[name]]
      if (old === undefined && override === undefined) return []
      const merged = { ...old?.sampling, ...override?.sampling }
      const kept = Struct.omit(old ?? {}, dropped)
      return [[name, { ...kept, ...override, ...(Object.keys(merged).length === 0 ? {} : { sampling: merged }) }]]
    })
  )
  return {
    ...(think === undefined ? {} : { think }),
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(Object.keys(sampling).length === 0 ? {} : { sampling }),
    ...(Object.keys(stages).length === 0 ? {} : { stages })
  }
}

/**
 * The temperature without a setting or recommendation. The documents of a run need little randomness, but some
 * randomness keeps a model from repeating itself.
 */
const defaultTemperature = 0.2

/** The default temperature of Ollama. */
const temperatureOfServer = 0.8

const step = 0.3
const highest = 1

/** What is known about the sampling of a model. `temperature` comes from its Modelfile. */
interface ModelSampling {
  readonly isKnown: boolean
  readonly temperature?: number | undefined
  /** The sampling that the maker of the model family recommends. */
  readonly family?: Sampling | undefined
}

/**
 * Chooses the sampling parameters to send. The parameters of the user override the Modelfile, which overrides the
 * recommendation for the family.
 * - If the user sets a temperature, the recommendation is not used.
 * - A thinking model without a recommendation gets no default temperature, because a low temperature makes its thoughts
 *   repeat themselves.
 * - After `repeats` repeated answers, the temperature rises and the seed changes. A retry of the same attempt gets the
 *   same parameters.
 */
export const samplingToSend = (
  sampling: Sampling,
  model: ModelSampling,
  { repeats, thinks }: { readonly repeats: number; readonly thinks: boolean }
): Sampling => {
  const isFree = model.isKnown && model.temperature === undefined && sampling.temperature === undefined
  const sent = { ...(isFree ? (model.family ?? (thinks ? {} : { temperature: defaultTemperature })) : {}), ...sampling }
  if (repeats === 0) return sent
  const base = sent.temperature ?? model.temperature ?? temperatureOfServer
  const raised = Math.round(Math.max(base, Math.min(highest, base + step * repeats)) * 100) / 100
  return { ...sent, temperature: raised, seed: ((sampling.seed ?? 0) + repeats) % 2_147_483_648 }
}
