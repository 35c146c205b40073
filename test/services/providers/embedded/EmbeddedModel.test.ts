import { assert, describe, it, layer } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import { CurrentSubject } from "../../../../src/services/providers/CallSubject.ts"
import { demoAnswer } from "../../../../src/services/providers/embedded/DemoAnswer.ts"
import { EmbeddedModel } from "../../../../src/services/providers/embedded/EmbeddedModel.ts"
import { Pipeline } from "../../../../src/services/pipeline/Pipeline.ts"
import { EventLog } from "../../../support/EventLog.ts"
import { nodeTest } from "../../../support/nodeTest.ts"
import { layerTestRun, planOf } from "../../../support/TestRun.ts"

layer(EmbeddedModel.layer)("EmbeddedModel", (it) => {
  it.effect("streams its answer in several parts and counts four characters as a token", () =>
    Effect.gen(function* () {
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
  )

  it.effect("says what it is when it is asked anything else", () =>
    Effect.gen(function* () {
      const { text } = yield* LanguageModel.generateText({ prompt: "Hello!" })
      assert.strictEqual(
        text,
        "I am the built-in demo of task-conductor, not a language model. I only search and quote: use `task-conductor run` or `task-conductor ask`, or choose a model with `--model`."
      )
    })
  )
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

const files = {
  "src/user.ts": "// users\nexport const loadUser = (id: string) => find(id)\n",
  "src/app/runLayers.ts": 'import { loadUser } from "../user.ts"\n\nloadUser("1")\n',
  /* The demo gives no inputs. */
  ".agents/skills/explain-file/SKILL.md": `---
name: explain-file
description: Explains a file. Use it when a file is named.
allowed-tools: read_file
---

## Input requirements

- \`file\` (path, required): The file to explain.

## Execution

Explain it.
`
}
/** A run on the embedded model, with its events. */
const run = Effect.fnUntraced(
  function* (prompt: string, plan?: string) {
    const report = yield* (yield* Pipeline).run({ runId: "run-1", prompt, ...(plan !== undefined && { plan }) })
    return { report, events: (yield* EventLog).events() }
  },
  Effect.provide(layerTestRun({ files }).pipe(Layer.provide(EmbeddedModel.layer)))
)

const disclosure =
  "*The built-in demo wrote this. It is not a language model: it quotes what the tools found and concludes nothing. Choose a model with `--model` for an answer that does.*"
const rows = `- [src/user.ts](src/user.ts#L2) \`export const loadUser = (id: string) => find(id)\`
- [src/app/runLayers.ts](src/app/runLayers.ts#L1) \`import { loadUser } from "../user.ts"\`
- [src/app/runLayers.ts](src/app/runLayers.ts#L3) \`loadUser("1")\``

const search = (name: string, needed: string) => ({ name, skill: "search-code", needed })

describe("a run on the embedded model", () => {
  nodeTest("answers a question about a repository with two turns of one task", function* () {
    const { report } = yield* run("Where is `loadUser` defined?")
    const results = report.results.map(({ name }) => name)
    assert.deepStrictEqual([report.status, report.rounds, report.failures, results], ["done", 1, [], ["Search 1"]])
    assert.strictEqual(report.answer, `Found 3 lines in 2 files:\n\n${rows}\n\n## Details\n\n${disclosure}`)
    assert.strictEqual(report.usage.modelCalls, 3)
  })

  nodeTest("carries out a plan of somebody else, and repeats in the summary what its tasks found", function* () {
    const sum = { name: "Sum 1", skill: "summarize", references: "[one](#search-1-results) [two](#search-2-results)" }
    const searches = [search("Search 1", "Search for `loadUser`."), search("Search 2", "Search for `saveUser`.")]
    const { events, report } = yield* run("Who loads and saves users?", planOf([searches, [sum]]))
    const found = `Found 3 lines in 2 files:\n\n${rows}\n\n- Nothing was found for \`saveUser\`.`
    const summary = report.results.find(({ name }) => name === "Sum 1")?.result.summary
    assert.deepStrictEqual([report.status, summary], ["done", found])
    assert.include(report.answer, found)
    assert.isTrue(report.answer.endsWith(disclosure))
    assert.isFalse(events.some(({ type }) => type === "answer.rejected"))
  })

  nodeTest("says which task failed, and does not try it again", function* () {
    const tasks = [search("Search 1", "Search for `loadUser`."), { name: "Explain 1", skill: "explain-file" }]
    const { report } = yield* run("Who loads users?", planOf([tasks]))
    assert.deepStrictEqual([report.rounds, report.failures.map(({ task }) => task)], [1, ["Explain 1"]])
    assert.include(report.answer, "These tasks failed, and what they were to find is missing:\n\n- Task ")
    assert.include(report.answer, rows)
  })
})
