/**
 * Plans the settings of a call: its thinking, its sampling, and the limit of its answer. Remembers what the run learnt
 * about the thoughts of its models.
 */
import { type Think, generationFor, samplingToSend } from "../../domain/models/Generation.ts"
import { familySampling } from "../../domain/models/FamilySampling.ts"
import type { ModelFacts } from "../providers/Provider.ts"
import { limitsOf } from "../../domain/configuration/Limits.ts"
import type { Stage } from "../../domain/runs/ActivityKey.ts"
import { answerReserve } from "../../domain/models/PromptSize.ts"
import { type CallSeconds, type CallSettings, secondsOf } from "../providers/CallOptions.ts"
import type { Settings } from "../runs/RunSettings.ts"

type Setting = "off" | "on" | "level"

const settingOf = (think: Think): Setting => (think === false ? "off" : think === true ? "on" : "level")

interface Learnt {
  readonly refused: Set<Setting>
  isThinker: boolean
  /** True if the model thought although it was asked not to. */
  isUnstoppable: boolean
}

export const makeThinking = () => {
  const models = new Map<string, Learnt>()
  const of = (model: string): Learnt => {
    const known = models.get(model) ?? { refused: new Set(), isThinker: false, isUnstoppable: false }
    models.set(model, known)
    return known
  }
  /**
   * The wanted setting, unless the server has refused it. If the server refused a level, the setting is "on". If it
   * refused "on" too, the result is undefined and no setting is sent.
   */
  const accepted = ({ refused }: Learnt, think: Think | undefined): Think | undefined => {
    if (think === undefined || !refused.has(settingOf(think))) return think
    return settingOf(think) === "level" && !refused.has("on") ? true : undefined
  }

  /**
   * Plans the thoughts of a call. `cuts` counts answers that were cut off during thoughts. After the first cut, the
   * model is asked not to think. If it thinks anyway, the budget for thoughts doubles with each cut.
   *
   * An undefined `think` is not sent. `thinks` is true if the model is expected to think.
   */
  const plan = (model: string, facts: ModelFacts, wanted: Think | undefined, cuts: number) => {
    const learnt = of(model)
    const cannotStop = learnt.isUnstoppable || learnt.refused.has("off")
    const { thinking = false } = facts.abilities
    const least = thinking ? "low" : undefined
    const asked = cuts === 0 ? wanted : cannotStop ? least : false
    const think = accepted(learnt, asked)
    const byItself = thinking || learnt.isThinker
    const thinks = think === undefined ? byItself : think === false ? learnt.isUnstoppable : true
    return { think, thinks, budgetFactor: cuts > 0 && cannotStop ? 2 ** cuts : 1 }
  }

  return {
    plan,
    /** Notes that the server refused the setting. Returns true if that is new. */
    refuse: (model: string, think: Think): boolean => {
      const { refused } = of(model)
      const isNew = !refused.has(settingOf(think))
      refused.add(settingOf(think))
      return isNew
    },
    /** Notes that the model thought with this setting. */
    seen: (model: string, think: Think | undefined): void => {
      const learnt = of(model)
      learnt.isThinker = true
      if (think === false) learnt.isUnstoppable = true
    }
  }
}
export type Thinking = ReturnType<typeof makeThinking>

const words: Record<Setting, string> = {
  off: "the request not to think",
  on: "thinking",
  level: "a level of thinking"
}

/** Tells the user that the server refused a setting, and that its calls go on without it. */
export const refusalNote = (model: string, think: Think, detail: string): string =>
  `The model "${model}" does not support ${words[settingOf(think)]} (${detail}). It is asked without it from now on.`

/** What was wrong with earlier answers to a prompt. Only this changes the settings of a retry. */
export interface Tuning {
  readonly repeats: number
  /** How many answers were cut off during thoughts. */
  readonly thinkingCuts: number
}

export const firstTuning: Tuning = { repeats: 0, thinkingCuts: 0 }

export interface CallPlan {
  readonly settings: CallSettings & {
    readonly seconds: CallSeconds
    readonly contextWindow: number
    readonly maxTokens: number
  }
  readonly thinkingTokens: number
  readonly thinks: boolean
  /** True if the prompt left no tokens for thoughts, so that the model is asked not to think. */
  readonly isWindowTooSmall: boolean
}

/** The smallest budget for thinking, in tokens. A smaller one would usually cut thoughts off. */
const leastThinking = 512

/** Stages whose answers grow with the number of tasks. */
const growing: ReadonlySet<Stage> = new Set<Stage>(["plan", "iterate", "conclude"])

/**
 * Plans a call with a prompt of `promptTokens`. Thoughts may use only the part of the window that the prompt and the
 * space for the answer leave free.
 *
 * A plan of many tasks, and the answer of a run, may fill the rest of the window. A lower limit would cut good answers
 * at the same place in every attempt. An endless answer is stopped at a repetition or when its document is wrong. It
 * also ends at the limit of thoughts, or at `limits.callSeconds`.
 */
export const planCall = (
  settings: Settings,
  thinking: Thinking,
  call: {
    readonly model: string
    readonly facts: ModelFacts
    readonly stage: Stage
    readonly tuning: Tuning
    readonly promptTokens: number
    readonly contextWindow: number
  }
): CallPlan => {
  const { contextWindow, facts, model, promptTokens, stage, tuning } = call
  const limits = limitsOf(settings.limits, stage)
  const { sampling = {}, think } = generationFor(settings, stage)
  const reserve = answerReserve(contextWindow)
  const free = Math.max(0, contextWindow - promptTokens - reserve)
  /** The size of the prompt is only an estimate, so the answer always gets its reserved tokens. */
  const tokensLeft = Math.max(reserve, contextWindow - promptTokens)
  const wanted = thinking.plan(model, facts, think, tuning.thinkingCuts)
  const least = Math.min(leastThinking, limits.thinkingTokens)
  const isWindowTooSmall = wanted.thinks && wanted.think !== false && free < least
  const plan = isWindowTooSmall ? thinking.plan(model, facts, false, 0) : wanted
  const limit = limits.thinkingTokens * plan.budgetFactor
  return {
    settings: {
      sampling: samplingToSend(
        sampling,
        { ...facts, family: familySampling(`${model} ${facts.family ?? ""}`, plan.thinks) },
        { repeats: tuning.repeats, thinks: plan.thinks }
      ),
      think: plan.think,
      refusesLong: facts.refusesLong,
      maxTokens: growing.has(stage) ? tokensLeft : Math.min(tokensLeft, reserve + (plan.thinks ? limit : 0)),
      contextWindow,
      seconds: secondsOf(limits)
    },
    thinkingTokens: plan.thinks ? Math.min(limit, free) : limit,
    thinks: plan.thinks,
    isWindowTooSmall: isWindowTooSmall && plan.think === false
  }
}

/** The message about a prompt that leaves no tokens for thoughts. */
export const windowTooSmallNote = (window: number): string =>
  `A prompt leaves no room to think in the context window of ${window} tokens, so the model answers it without thinking. Raise contextWindow for more.`
