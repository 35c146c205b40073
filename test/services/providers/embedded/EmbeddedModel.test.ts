import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import { CurrentSubject } from "../../../../src/services/providers/CallSubject.ts"
import { demoAnswer } from "../../../../src/services/providers/embedded/DemoAnswer.ts"
import { EmbeddedModel } from "../../../../src/services/providers/embedded/EmbeddedModel.ts"
import { Pipeline } from "../../../../src/services/pipeline/Pipeline.ts"
import { layerTest } from "../../../support/layerTest.ts"
import { layerTestRun } from "../../../support/TestRun.ts"

describe("EmbeddedModel", () => {
  layerTest(EmbeddedModel.layer, "streams its answer in parts and counts four characters as a token", function* () {
    const subject = { stage: "plan", request: "Where is loadUser?" } as const
    const prompt = "It reads no prompt."
    const parts = yield* Stream.runCollect(LanguageModel.streamText({ prompt })).pipe(
      Effect.provideService(CurrentSubject, subject)
    )
    const deltas = parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : []))
    const usage = parts.flatMap((part) =>
      part.type === "finish" ? [[part.reason, part.usage.inputTokens.total, part.usage.outputTokens.total]] : []
    )
    const answer = demoAnswer(subject)
    assert.strictEqual(deltas.join(""), answer)
    assert.isAbove(deltas.length, 2)
    assert.deepStrictEqual(usage, [["stop", Math.ceil(prompt.length / 4), Math.ceil(answer.length / 4)]])
    const whole = yield* Effect.provideService(LanguageModel.generateText({ prompt }), CurrentSubject, subject)
    assert.strictEqual(whole.text, answer)
  })

  layerTest(EmbeddedModel.layer, "says what it is when it is asked anything else", function* () {
    const { text } = yield* LanguageModel.generateText({ prompt: "Hello!" })
    assert.strictEqual(
      text,
      "I am the built-in demo of task-conductor, not a language model. I only search and quote: use `task-conductor run` or `task-conductor ask`, or choose a model with `--model`."
    )
  })
})

const root = new URL("../../../../", import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), "utf8")
const quotedLine = /^- \[.+?\]\((.+?)#L(\d+)\) (`+) ?(.+?) ?\3$/gm

describe("the question of the README", () => {
  const [, question = ""] = /--model embedded --allow read_file '(.+)'/.exec(read("README.md")) ?? []
  const sources = globSync("{README.md,src/**/*.ts}", { cwd: root, exclude: ["**/dist/**"] })
  const files = Object.fromEntries(
    sources.map((path) => [path, read(path)]).filter(([, text]) => text?.includes("exitCodeOf"))
  )

  it.effect("is answered with lines that stand in the files, the declaration first", () =>
    Effect.gen(function* () {
      const pipeline = yield* Pipeline
      const { answer } = yield* pipeline.run({ runId: "run-1", prompt: question })
      const quoted = [...answer.matchAll(quotedLine)]
      assert.isAbove(quoted.length, 2)
      assert.match(quoted[0]?.[4] ?? "", /^export const exitCodeOf =/)
      for (const [, path = "", line, , text = ""] of quoted) {
        assert.include(files[path]?.split("\n")[Number(line) - 1], text.replace(/ \.\.\.$/, ""))
      }
    }).pipe(Effect.provide(layerTestRun({ files }).pipe(Layer.provide(EmbeddedModel.layer))))
  )
})
