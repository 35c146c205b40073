/**
 * How a call is sent beside its prompt: whether the model thinks and how long, how its words are sampled, and how many tokens it
 * may write; with what a run has learnt about how its models think.
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
  /** It thought although it was asked not to. */
  isUnstoppable: boolean
}

export const makeThinking = () => {
  const models = new Map<string, Learnt>()
  const of = (model: string): Learnt => {
    const known = models.get(model) ?? { refused: new Set(), isThinker: false, isUnstoppable: false }
    models.set(model, known)
    return known
  }
  /** The nearest setting that is not refused: a level becomes "on", and "on" nothing. */
  const accepted = ({ refused }: Learnt, think: Think | undefined): Think | undefined => {
    if (think === undefined || !refused.has(settingOf(think))) return think
    return settingOf(think) === "level" && !refused.has("on") ? true : undefined
  }

  /**
   * `cuts` is how often an answer was cut off while the model thought: then it is asked not to think, and one that
   * cannot stop thinking gets twice the budget each time. `think` is not sent when it is absent; `thinks` says whether the
   * model is expected to think.
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
    /** True when this is news. */
    refuse: (model: string, think: Think): boolean => {
      const { refused } = of(model)
      const isNew = !refused.has(settingOf(think))
      refused.add(settingOf(think))
      return isNew
    },
    /** The model thought in a call with this setting. */
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

/** What is reported when a setting is refused. */
export const refusalNote = (model: string, think: Think, detail: string): string =>
  `The model "${model}" does not support ${words[settingOf(think)]} (${detail}). It is asked without it from now on.`

/** What went wrong with the answers before. What is sent follows from it alone. */
export interface Tuning {
  readonly repeats: number
  /** How many answers were cut off while the model thought. */
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
  /** The prompt left no tokens to think, so the model is asked not to. */
  readonly isWindowTooSmall: boolean
}

/** Thoughts with a lower budget than this, in tokens, are cut off more often than not. */
const leastThinking = 512

/** Stages that answer with as many tasks, or words about them, as there are: their answers are as long as the work is large. */
const growing: ReadonlySet<Stage> = new Set<Stage>(["plan", "iterate", "conclude"])

/**
 * Plans a call whose prompt needs so many tokens. Thoughts get what prompt and answer leave free of the window.
 *
 * A plan of many tasks and the answer of a run may be as long as the window has tokens left beside the prompt: a limit for them
 * would cut good answers, each attempt at the same place. What never ends is stopped without it. An answer that goes
 * round in circles is cut off as soon as it repeats itself, one that takes another form than the expected document when
 * that shows, thoughts at their own limit, and whatever goes on for too long by `limits.callSeconds`.
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
  /* What a prompt needs is an estimate, so that an answer may still have its share. */
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

/** What is reported when a prompt leaves no tokens for thoughts. */
export const windowTooSmallNote = (window: number): string =>
  `A prompt leaves no room to think in the context window of ${window} tokens, so the model answers it without thinking. Raise contextWindow for more.`
