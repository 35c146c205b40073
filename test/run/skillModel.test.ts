import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerOllama } from "../../src/services/providers/ollama/OllamaModel.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { EventLog } from "../support/EventLog.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { taskOf } from "../support/ScriptedRun.ts"
import { stageNameOf } from "../support/stageName.ts"
import { layerTestRun, noonAnswer, planOf } from "../support/TestRun.ts"

const skill = `---
name: tell-time
description: Tells the time. Use it when somebody asks for it.
allowed-tools: get_current_time
metadata:
  task-conductor.model: "qwen3:30b"
---

## Execution

Say it.
`

nodeTest("a skill with a model of its own is worked on with it, in the window of the run", function* () {
  const models = [{ name: "qwen3:8b" }, { name: "qwen3:30b" }]
  const server = yield* FakeOllama.make(({ messages }) => noonAnswer(stageNameOf(messages)), { models })
  const plan = planOf([[{ name: "Own", skill: "tell-time" }], [{ name: "Usual", skill: "any" }]])
  const events = yield* Effect.gen(function* () {
    const { message, status } = yield* (yield* Pipeline).run({ runId: "run", prompt: "Tell.", plan })
    assert.deepStrictEqual([status, message], ["done", ""])
    return (yield* EventLog).events()
  }).pipe(
    Effect.provide(
      layerTestRun({
        files: { ".agents/skills/tell-time/SKILL.md": skill },
        settings: { model: "qwen3:8b", host: server.url }
      }).pipe(
        Layer.provide(layerOllama({ host: server.url, model: "qwen3:8b", contextWindow: 8192, maxAnswerTokens: 2048 }))
      )
    )
  )
  const asked = server.chats.map(({ messages, model, options }) => {
    const stage = stageNameOf(messages)
    const task = stage === "refinement" || stage === "execution" ? taskOf(messages[1]?.content ?? "") : ""
    return `${stage} ${task}: ${model} ${options?.num_ctx}`
  })
  assert.deepStrictEqual(asked.toSorted(), [
    "conclusion : qwen3:8b 8192",
    "execution Own: qwen3:30b 8192",
    "execution Usual: qwen3:8b 8192",
    "iteration : qwen3:8b 8192",
    "refinement Own: qwen3:30b 8192",
    "refinement Usual: qwen3:8b 8192"
  ])
  const started = events.flatMap((event) => (event.type === "model.started" ? [event.model] : []))
  assert.deepStrictEqual(
    started.filter((model) => model !== undefined),
    ["qwen3:30b", "qwen3:30b"]
  )
})
