import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import { defaultSettings } from "../../../src/services/runs/RunSettings.ts"
import { assert, describe, it } from "@effect/vitest"
import { makeThinking, planCall } from "../../../src/services/models/CallPlan.ts"
import { answerReserve } from "../../../src/domain/models/PromptSize.ts"
import { Stage } from "../../../src/domain/runs/ActivityKey.ts"

const plan = (stage: Stage, contextWindow: number, promptTokens: number, thinkingTokens: number, thinkingCuts = 0) =>
  planCall({ ...defaultSettings, limits: { ...defaultLimits, thinkingTokens } }, makeThinking(), {
    model: "qwen3:8b",
    facts: { isKnown: true, abilities: { thinking: true }, capacity: {} },
    stage,
    tuning: { repeats: 0, thinkingCuts },
    promptTokens,
    contextWindow
  })

describe("a call", () => {
  it("asks for no more tokens than its window has beside the prompt, however long a model may think", () => {
    for (const stage of Stage.literals) {
      for (const window of [4096, 8192, 32_768]) {
        for (const prompt of [200, 1500, window - answerReserve(window)]) {
          for (const limit of [512, 4096, 16_384]) {
            for (const cuts of [0, 2]) {
              const { settings, thinkingTokens, thinks } = plan(stage, window, prompt, limit, cuts)
              const what = `${stage} ${window} ${prompt} ${limit} ${cuts}`
              assert.isAtMost(prompt + settings.maxTokens, window, what)
              if (thinks) assert.isAtMost(prompt + thinkingTokens + answerReserve(window), window, what)
            }
          }
        }
      }
    }
  })

  it("leaves a model its thoughts where the window has room for them", () => {
    const { settings, thinkingTokens, thinks } = plan("task", 8192, 1000, 4096)
    assert.deepStrictEqual(
      { maxTokens: settings.maxTokens, thinkingTokens, thinks },
      { maxTokens: 6144, thinkingTokens: 4096, thinks: true }
    )
    assert.strictEqual(plan("task", 8192, 6000, 4096).isWindowTooSmall, true)
  })
})
