/**
 * Whole runs with a model that answers by stage, for tests of how runs end.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import type { Stage } from "../../src/domain/runs/ActivityKey.ts"
import type { RunOrder } from "../../src/domain/runs/RunOrder.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import type * as AiError from "effect/ai/AiError"
import { type ScriptedAnswer, ScriptedModel } from "../../src/services/providers/ScriptedModel.ts"
import { EventLog } from "./EventLog.ts"
import { stageName } from "./stageName.ts"
import { layerTestRun, planOf, refinementWith, resultSaying, type TestRunOptions } from "./TestRun.ts"

/** The stages of a run; a task has its first answer, and those behind a reply. */
export type RunStage = Exclude<Stage, "ask" | "task"> | "refine" | "execute"

/** What the model says in each stage; `count` counts the calls of that stage from 1. */
export type Script = Partial<
  Record<RunStage, (prompt: string, count: number, whole: FilledPrompt) => ScriptedAnswer | string | AiError.AiError>
>

const stageNames: Readonly<Record<string, RunStage>> = {
  creation: "plan",
  refinement: "refine",
  execution: "execute",
  iteration: "iterate",
  conclusion: "conclude"
}

const usual: Required<Script> = {
  plan: () => planOf([[{ name: "Research 1" }]]),
  refine: () => refinementWith([{ name: "get_current_time", arguments: {} }]),
  execute: () => resultSaying("Found."),
  iterate: () => planOf([]),
  conclude: () => "Here it is."
}

/** The stage that a prompt is for. */
export const stageOf = (prompt: FilledPrompt): RunStage => stageNames[stageName(prompt)] ?? "plan"

/** The name of the task that a prompt is about. */
export const taskOf = (prompt: string): string => /\*\*Name\*\* (.+)/.exec(prompt)?.[1] ?? ""

/** A model that says what the script says; what it does not say, the usual. */
export const layerScript = (script: Script) =>
  Layer.suspend(() => {
    const counts = new Map<RunStage, number>()
    return ScriptedModel.layer((prompt) => {
      const stage = stageOf(prompt)
      const count = (counts.get(stage) ?? 0) + 1
      counts.set(stage, count)
      return (script[stage] ?? usual[stage])(prompt.user, count, prompt)
    })
  })

/** One run with its events. */
export const runScript = (order: Partial<RunOrder> = {}) =>
  Effect.gen(function* () {
    const report = yield* (yield* Pipeline).run({ runId: "run-1", prompt: "Do it.", ...order })
    return { report, events: (yield* EventLog).events() }
  })

/** Provides everything that `runScript` needs. */
export const scripted = (script: Script, options: TestRunOptions = {}) =>
  Effect.provide(layerTestRun(options).pipe(Layer.provideMerge(layerScript(script))))

/** One run with its events, of a model that follows the script. */
export const scriptedRun = (script: Script, options: TestRunOptions = {}, order: Partial<RunOrder> = {}) =>
  runScript(order).pipe(scripted(script, options))
