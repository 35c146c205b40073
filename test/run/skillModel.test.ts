import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerOllama } from "../../src/services/providers/ollama/OllamaModel.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { EventLog } from "../support/EventLog.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { stageNameOf } from "../support/stageName.ts"
import { layerTestRun, planOf, refinementWith, resultSaying } from "../support/TestRun.ts"

const skillWith = (model: string) => `---
name: tell-time
description: Tells the time. Use it when somebody asks for it.
allowed-tools: get_current_time
metadata:
  task-conductor.model: "${model}"
---

## Execution

Say it.
`

const taskOf = (content = "") => /^- \*\*Name\*\* (.+)$/m.exec(content)?.[1] ?? ""

/** Runs one task of a skill with a model of its own and one of a skill without; gives what the server was asked. */
const runWith = (model: string) =>
  Effect.gen(function* () {
    const server = yield* FakeOllama.make(
      ({ messages }) => {
        const stage = stageNameOf(messages)
        if (stage === "refinement") return refinementWith([{ name: "get_current_time", arguments: {} }])
        return stage === "iteration" ? planOf([]) : resultSaying("Noon.")
      },
      { models: [{ name: "qwen3:8b" }, { name: "qwen3:30b" }] }
    )
    const options = { host: server.url, model: "qwen3:8b", contextWindow: 8192, maxAnswerTokens: 2048 }
    const { events, status } = yield* Effect.gen(function* () {
      const plan = planOf([[{ name: "Own", skill: "tell-time" }], [{ name: "Usual", skill: "any" }]])
      const report = yield* (yield* Pipeline).run({ runId: "run", prompt: "Tell.", plan })
      assert.strictEqual(report.message, "")
      return { status: report.status, events: (yield* EventLog).events() }
    }).pipe(
      Effect.provide(
        layerTestRun({
          files: { ".agents/skills/tell-time/SKILL.md": skillWith(model) },
          settings: { model: "qwen3:8b", host: server.url }
        }).pipe(Layer.provide(layerOllama(options)))
      )
    )
    const asked = server.chats.map(({ messages, model, options }) => {
      const stage = stageNameOf(messages)
      const task = stage === "refinement" || stage === "execution" ? taskOf(messages[1]?.content) : ""
      return `${stage} ${task}: ${model} ${options?.num_ctx}`
    })
    const started = events.flatMap((event) => (event.type === "model.started" ? [event.model] : []))
    return { status, asked: asked.toSorted(), started }
  })

describe("a skill with a model of its own", () => {
  nodeTest("refines and executes its tasks with it, on the server and in the window of the run", function* () {
    const { asked, started, status } = yield* runWith("qwen3:30b")
    assert.strictEqual(status, "done")
    assert.deepStrictEqual(asked, [
      "conclusion : qwen3:8b 8192",
      "execution Own: qwen3:30b 8192",
      "execution Usual: qwen3:8b 8192",
      "iteration : qwen3:8b 8192",
      "refinement Own: qwen3:30b 8192",
      "refinement Usual: qwen3:8b 8192"
    ])
    const own = started.filter((model) => model === "qwen3:30b")
    assert.deepStrictEqual([own.length, started.filter((model) => model === undefined).length], [2, 4])
  })

  nodeTest("cannot send anything elsewhere", function* () {
    for (const model of ["http://127.0.0.1:1/qwen3", "../../qwen3", "gpt-oss:120b-cloud"]) {
      const { asked } = yield* runWith(model)
      assert.isTrue(asked.every((one) => one.includes("qwen3:8b")))
    }
  })
})
