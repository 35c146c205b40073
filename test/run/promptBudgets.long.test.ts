/**
 * The sizes of the prompts of a run on this repository, held against the table in `docs/internals/prompts.md`: what is added to a
 * prompt has to take the place of something else.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { estimatePrompt, type FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import { ScriptedModel } from "../../src/services/providers/ScriptedModel.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { makeFolder } from "../support/Project.ts"
import { layerTestRun, planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { stageName } from "../support/stageName.ts"

const project = join(import.meta.dirname, "../..")

/** Prompt and most tokens, as the page has them: `| creation | 1800 | ... |`. */
const budgets = Object.fromEntries(
  [...readFileSync(join(project, "docs/internals/prompts.md"), "utf8").matchAll(/^\| `(\w+)` \| ([\d,]+) \|/gm)].map(
    ([, name = "", most = ""]) => [name, Number(most.replace(",", ""))] as const
  )
)

/** The stages by their names on the page; what later turns of a task add is outputs. */
const names: Readonly<Record<string, string>> = { refinement: "task", execution: "" }

const needed = "Find what `version` in package.json is."
const read = planOf([["Read 1", "Read 2"].map((name) => ({ name, skill: "read-code", needed }))])
const answers: Readonly<Record<string, string>> = {
  creation: read,
  refinement: refinementWith([{ name: "search_files", arguments: { pattern: '"version"', path: "package.json" } }]),
  execution: resultSaying("It is in [package.json](package.json)."),
  iteration: planOf([]),
  conclusion: "It is in [package.json](package.json)."
}

nodeTest("prompts stay within their budgets", function* () {
  const home = yield* makeFolder
  const sizes = new Map<string, number>()
  const answer = (prompt: FilledPrompt): string => {
    const name = names[stageName(prompt)] ?? stageName(prompt)
    if (name !== "") sizes.set(name, estimatePrompt(prompt))
    return answers[stageName(prompt)] ?? ""
  }
  yield* Pipeline.use((pipeline) =>
    pipeline.run({ prompt: "Where is the version of the program written?", runId: "budgets" })
  ).pipe(Effect.provide(layerTestRun({ at: { project, home } }).pipe(Layer.provideMerge(ScriptedModel.layer(answer)))))
  expect([...sizes.keys()].toSorted()).toEqual(Object.keys(budgets).toSorted())
  for (const [stage, tokens] of sizes) {
    expect(tokens, `${stage} is larger than its budget`).toBeLessThanOrEqual(budgets[stage] ?? 0)
    expect(tokens, `${stage} is far below its budget: lower it`).toBeGreaterThan((budgets[stage] ?? 0) * 0.7)
  }
})
