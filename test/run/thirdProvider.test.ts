import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { run } from "../../src/index.ts"
import { definePlugin } from "../../src/plugin-kit.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { liveTest } from "../support/liveTest.ts"
import { sandbox } from "../support/OneModelServer.ts"
import { stageName } from "../support/stageName.ts"
import { noonAnswer } from "../support/TestRun.ts"

liveTest("a provider of a plugin answers a run of the library; a model is all that it has to have", function* () {
  const { root } = yield* sandbox
  const asked = new Set<string>()
  const plugin = definePlugin({
    name: "acme",
    providers: [
      {
        id: "acme",
        model: ({ model }) => {
          asked.add(model)
          return ScriptedModel.layer((prompt) => noonAnswer(stageName(prompt)))
        }
      }
    ]
  })
  const order = { prompt: "What time is it?", project: `${root}/project`, model: "acme:small" }
  const { answer, status } = yield* Effect.promise(() => run({ ...order, plugins: [plugin] }).report)
  assert.deepStrictEqual([status, answer, [...asked]], ["done", "It is noon.", ["acme:small"]])
})
