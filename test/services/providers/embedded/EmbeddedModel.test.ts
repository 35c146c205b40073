import { assert, describe, it, layer } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import type { FilledPrompt } from "../../../../src/domain/models/PromptSize.ts"
import { EmbeddedModel } from "../../../../src/services/providers/embedded/EmbeddedModel.ts"
import { Pipeline } from "../../../../src/services/pipeline/Pipeline.ts"
import { stageAnswer } from "../../../../src/services/providers/embedded/StageAnswer.ts"
import { finished } from "../../../support/sampleTasks.ts"
import { StagePrompts } from "../../../support/StagePrompts.ts"
import { layerTestRun } from "../../../support/TestRun.ts"

const messagesOf = ({ system, user }: FilledPrompt) => [
  { role: "system" as const, content: system },
  { role: "user" as const, content: [{ type: "text" as const, text: user }] }
]

layer(Layer.merge(StagePrompts.layer, EmbeddedModel.layer))("EmbeddedModel", (it) => {
  it.effect("streams its answer in several parts and counts four characters as a token", () =>
    Effect.gen(function* () {
      const { conclusion } = yield* StagePrompts
      const prompt = conclusion("Where?", [finished("Search 1", "- [a.ts](a.ts#L1) `x`")])
      const parts = yield* Stream.runCollect(LanguageModel.streamText({ prompt: messagesOf(prompt) }))
      const deltas = parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : []))
      const usage = parts.flatMap((part) =>
        part.type === "finish" ? [[part.reason, part.usage.inputTokens.total, part.usage.outputTokens.total]] : []
      )
      const answer = stageAnswer(prompt)
      assert.strictEqual(deltas.join(""), answer)
      assert.isAbove(deltas.length, 2)
      const sent = `${prompt.system}\n${prompt.user}`
      assert.deepStrictEqual(usage, [["stop", Math.ceil(sent.length / 4), Math.ceil(answer.length / 4)]])
    })
  )

  it.effect("gives the same answer every time, also when it is not streamed", () =>
    Effect.gen(function* () {
      const { creation, skills } = yield* StagePrompts
      const prompt = creation("Where is loadUser?", skills)
      const answers = yield* Effect.forEach([1, 2], () => LanguageModel.generateText({ prompt: messagesOf(prompt) }))
      assert.deepStrictEqual(
        answers.map((answer) => answer.text),
        [stageAnswer(prompt), stageAnswer(prompt)]
      )
    })
  )

  it.effect("says what it is when it is asked anything else", () =>
    Effect.gen(function* () {
      const answer = yield* LanguageModel.generateText({ prompt: "Hello!" })
      assert.strictEqual(
        answer.text,
        "I am the built-in demo of task-conductor, not a language model. I only know the stages of a run: use `task-conductor run`, or choose a model with `--model`."
      )
    })
  )
})

const root = new URL("../../../../", import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), "utf8")

describe("the question of the README", () => {
  const [, question = ""] = /--model embedded --allow read_file '(.+)'/.exec(read("README.md")) ?? []
  const sources = globSync("{README.md,src/**/*.ts}", { cwd: root })
  const files = Object.fromEntries(
    sources.map((path) => [path, read(path)]).filter(([, text]) => text?.includes("exitCodeOf"))
  )

  it.effect("is answered with lines that stand in the files, the declaration first", () =>
    Effect.gen(function* () {
      const pipeline = yield* Pipeline
      const { answer } = yield* pipeline.run({ runId: "run-1", prompt: question })
      const quoted = [...answer.matchAll(/^- \[.+?\]\((.+?)#L(\d+)\) (`+) ?(.+?) ?\3$/gm)]
      assert.isAbove(quoted.length, 2)
      assert.match(quoted[0]?.[4] ?? "", /^export const exitCodeOf =/)
      for (const [, path = "", line, , text = ""] of quoted) {
        assert.include(files[path]?.split("\n")[Number(line) - 1], text.replace(/ \.\.\.$/, ""))
      }
    }).pipe(Effect.provide(layerTestRun({ files }).pipe(Layer.provide(EmbeddedModel.layer))))
  )
})

describe("a run on the embedded model", () => {
  const files = {
    "src/user.ts": "// users\nexport const loadUser = (id: string) => find(id)\n",
    "src/app/runLayers.ts": 'import { loadUser } from "../user.ts"\n\nloadUser("1")\n'
  }

  it.effect("answers a question about a repository, from the plan to the conclusion", () =>
    Effect.gen(function* () {
      const pipeline = yield* Pipeline
      const report = yield* pipeline.run({
        runId: "run-1",
        prompt: "Where is `loadUser` defined, and who finds users?"
      })
      assert.deepStrictEqual(
        [report.status, report.rounds, report.failures, report.results.map((result) => result.name).sort()],
        ["done", 1, [], ["Search 1", "Search 2", "Summarize 1"]]
      )
      assert.strictEqual(
        report.answer,
        `Found 4 lines in 2 files:

- [src/user.ts](src/user.ts#L2) \`export const loadUser = (id: string) => find(id)\`
- [src/app/runLayers.ts](src/app/runLayers.ts#L1) \`import { loadUser } from "../user.ts"\`
- [src/app/runLayers.ts](src/app/runLayers.ts#L3) \`loadUser("1")\`
- [src/user.ts](src/user.ts#L1) \`// users\`

*The built-in demo wrote this. It is not a language model: it quotes what the tools found and concludes nothing. Choose a model with \`--model\` for an answer that does.*`
      )
    }).pipe(Effect.provide(layerTestRun({ files }).pipe(Layer.provide(EmbeddedModel.layer))))
  )
})
