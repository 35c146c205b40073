/**
 * The last call of a run: turns the results into the answer to the prompt, with links to its sources.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readConclusion } from "../../domain/documents/ConclusionFormat.ts"
import { type Briefing, briefingBlocks } from "../../domain/models/Briefing.ts"
import { failureLines, resultBlocks } from "../../domain/models/ExecutionBlocks.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import { rawBlock } from "../../domain/markdown/PromptBlock.ts"
import type { TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"
import { charactersLeft } from "../../domain/models/PromptSize.ts"
import { Attempts, type AttemptsExhausted } from "./Attempts.ts"
import { Prompts } from "../models/Prompts.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"

export interface ConclusionOrder {
  readonly briefing: Briefing
  /** The number of rounds that were run. */
  readonly round: number
  readonly goals: string
  readonly finished: ReadonlyArray<TaskResult>
  readonly failures: ReadonlyArray<TaskFailure>
}

export class Concluder extends Context.Service<
  Concluder,
  {
    /** The answer in markdown. */
    conclude(order: ConclusionOrder): Effect.Effect<string, AttemptsExhausted | ModelError>
  }
>()("task-conductor/services/pipeline/Concluder") {
  static readonly layer = Layer.effect(
    Concluder,
    Effect.gen(function* () {
      const attempts = yield* Attempts
      const prompts = yield* Prompts
      const { contextWindow: window, model } = yield* RunSettings
      const calibration = yield* TokenCalibration

      const conclude = Effect.fn("Concluder.conclude")(function* (order: ConclusionOrder) {
        const shared = briefingBlocks(order.briefing)
        const fill = (completed: string) =>
          prompts.fill("conclusion", {
            user_prompt: shared.user_prompt,
            goals: rawBlock("## Goals / summary", order.goals),
            completed_tasks: rawBlock("## Outputs from completed tasks", completed),
            failed_tasks: rawBlock("## Tasks that failed", failureLines(order.failures))
          })
        const frame = fill(resultBlocks(order.finished, 0))
        const room = charactersLeft(window, frame, calibration.scale(model))
        const prompt = fill(resultBlocks(order.finished, room))
        const accepted = yield* attempts.run({
          stage: "conclude",
          round: order.round,
          step: 0,
          prompt: () => prompt,
          read: (answer) => Effect.sync(() => readConclusion(answer))
        })
        return accepted.value
      })

      return Concluder.of({ conclude })
    })
  )
}
