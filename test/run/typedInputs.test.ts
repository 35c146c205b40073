import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import { ScriptedModel } from "../../src/services/providers/ScriptedModel.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { EventLog } from "../support/EventLog.ts"
import { layerTestRun, planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { stageName } from "../support/stageName.ts"

const skill = `---
name: explain-file
description: Explains a file. Use it when a file is named.
allowed-tools: read_file
---

## Input requirements

- \`file\` (path, required): The file to explain.
- \`depth\` (choice of short, long, optional): How long it may be.
- The question to answer.

## Execution

Explain it.
`

const files = {
  "src/main.ts": "export const main = 1\n",
  "docs/guide.md": "# Guide\n",
  ".agents/skills/explain-file/SKILL.md": skill
}

const plan = planOf([[{ name: "Explain 1", skill: "explain-file", needed: "Explain `main.ts`, short." }]])

const stageOf = (prompt: FilledPrompt) => stageName(prompt)

/** Runs the plan with this first answer of its task, before the report; gives prompts and events. */
const runWith = (first: string) =>
  Effect.gen(function* () {
    const prompts: Array<FilledPrompt> = []
    const answers = [first]
    const model = ScriptedModel.layer((prompt) => {
      prompts.push(prompt)
      const stage = stageOf(prompt)
      if (stage === "iteration") return planOf([])
      return answers.shift() ?? resultSaying("It is a constant.")
    })
    const { events, report } = yield* Effect.gen(function* () {
      const pipeline = yield* Pipeline
      const report = yield* pipeline.run({ runId: "run", prompt: "Explain main.", plan })
      return { report, events: (yield* EventLog).events() }
    }).pipe(
      Effect.provide(
        layerTestRun({ files, rules: [{ verdict: "allow", tool: "read_file" }] }).pipe(Layer.provide(model))
      )
    )
    return {
      report,
      refinements: prompts.filter((prompt) => ["refinement", "execution"].includes(stageOf(prompt))),
      rejected: events.flatMap((event) => (event.type === "answer.rejected" ? event.issues : [])),
      refined: events.flatMap((event) => (event.type === "task.worked" ? [event.inputs] : []))
    }
  })

const read = refinementWith([{ name: "read_file", arguments: { path: "src/main.ts" } }])

describe("a skill with typed inputs", () => {
  nodeTest("has them filled in by the first answer, told to whoever listens", function* () {
    const { refined, refinements, report } = yield* runWith(
      `## Inputs\n\n- \`file\`: src/main.ts\n- \`depth\`: short\n\n${read}`
    )
    assert.strictEqual(report.status, "done")
    assert.deepStrictEqual(refined, [
      [
        { name: "file", value: "src/main.ts" },
        { name: "depth", value: "short" }
      ]
    ])
    assert.include(
      refinements[0]?.system,
      "```markdown\n## Inputs\n\n- `file`: <path of a file or folder of the project; required>\n- `depth`: <one of: short, long; optional>"
    )
    assert.include(refinements[0]?.system, "### Inputs to give\n\nBegin your first answer with this section.")
  })

  nodeTest("takes a folder as a path, and does not look outside of the project", function* () {
    for (const path of ["src", "./docs", ".", "/nowhere/at/all"]) {
      const { rejected } = yield* runWith(`## Inputs\n\n- \`file\`: ${path}\n\n${read}`)
      assert.deepStrictEqual(rejected, [])
    }
  })
})
