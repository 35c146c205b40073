/** Refuses a run or conversation whose first prompts cannot fit the window, before the first call to the model. */
import * as Effect from "effect/Effect"
import type { Briefing } from "../../domain/models/Briefing.ts"
import {
  type FilledPrompt,
  fitsWindow,
  fittingPrompt,
  largestParts,
  neededTokens,
  overflowText
} from "../../domain/models/PromptSize.ts"
import { plainTask } from "../../domain/plan/Task.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { Skills } from "../skills/Skills.ts"
import { BriefingError } from "./Briefer.ts"
import { plannerSkills } from "./PlanChecker.ts"
import { makeTaskPrompts } from "./TaskPrompts.ts"

/** Returns a function that says why the window is too small for a prompt and its answer; undefined if both fit. */
export const makeOverflow = Effect.gen(function* () {
  const calibration = yield* TokenCalibration
  const { contextWindow: window, model } = yield* RunSettings
  return (whole: FilledPrompt): string | undefined => {
    calibration.expect(whole.system + whole.user)
    const scale = calibration.scale(model)
    const prompt = fittingPrompt(whole, window, scale)
    if (fitsWindow(prompt, window, scale)) return undefined
    return overflowText({ estimated: neededTokens(prompt, scale), window, parts: largestParts(prompt, scale) })
  }
})

/** Fails if a briefing does not fit. If the briefing would fit with an empty prompt, the error names the prompt. */
export const requireFit = (overflow: (briefing: Briefing) => string | undefined, briefing: Briefing) =>
  Effect.suspend(() => {
    const detail = overflow(briefing)
    if (detail === undefined) return Effect.void
    const isPrompt = briefing.prompt !== "" && overflow({ ...briefing, prompt: "" }) === undefined
    return new BriefingError({ part: isPrompt ? "prompt" : "context window", detail })
  })

/**
 * Says why the first prompts of an order do not fit: either the prompt of the plan is too long, or the prompt of a task
 * is too long whichever skill the task gets.
 */
export const makeOrderOverflow = Effect.gen(function* () {
  const { names } = yield* plannerSkills
  const overflow = yield* makeOverflow
  const { find } = yield* Skills
  const tasks = yield* makeTaskPrompts

  return ({ plan, skill }: RunOrder, planning: (briefing: Briefing) => FilledPrompt) =>
    (briefing: Briefing): string | undefined => {
      const first = plan === undefined && skill === undefined ? overflow(planning(briefing)) : undefined
      /* An unknown skill is reported later, when the skill is looked up. */
      if (first !== undefined || (skill !== undefined && find(skill) === undefined)) return first
      let least: string | undefined
      for (const name of skill === undefined ? names : [skill]) {
        const problem = tasks.overflow(plainTask(name, name, skill === undefined ? "" : briefing.prompt, ""), briefing)
        if (problem === undefined) return undefined
        least ??= problem
      }
      return least
    }
})
