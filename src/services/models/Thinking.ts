/**
 * What a run has learnt about how its models think: which settings a model or its server refuses, and whether a model
 * thinks although it should not. Each is learnt once.
 */
import type { Think } from "../../domain/models/Generation.ts"
import type { Facts } from "../providers/Provider.ts"

type Setting = "off" | "on" | "level"

const settingOf = (think: Think): Setting => (think === false ? "off" : think === true ? "on" : "level")

interface Learnt {
  readonly refused: Set<Setting>
  /** It was seen to think. */
  isThinker: boolean
  /** It thought although it was asked not to. */
  isUnstoppable: boolean
}

/** How one call is to be sent. */
export interface ThinkingPlan {
  /** Not sent when absent. */
  readonly think?: Think
  /** True when the model is expected to think. */
  readonly thinks: boolean
  /** By what the limit for thoughts is multiplied. */
  readonly room: number
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
   * cannot stop thinking gets twice the room each time.
   */
  const plan = (model: string, facts: Facts, wanted: Think | undefined, cuts: number): ThinkingPlan => {
    const learnt = of(model)
    const cannotStop = learnt.isUnstoppable || learnt.refused.has("off")
    const least = facts.thinks ? "low" : undefined
    const asked = cuts === 0 ? wanted : cannotStop ? least : false
    const think = accepted(learnt, asked)
    const byItself = facts.thinks || learnt.isThinker
    const thinks = think === undefined ? byItself : think === false ? learnt.isUnstoppable : true
    return {
      ...(think === undefined ? {} : { think }),
      thinks,
      room: cuts > 0 && cannotStop ? 2 ** cuts : 1
    }
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

/** What a person is told when a setting is refused. */
export const refusalNote = (model: string, think: Think, detail: string): string =>
  `The model "${model}" does not support ${words[settingOf(think)]} (${detail}). It is asked without it from now on.`
