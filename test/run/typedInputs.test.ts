import * as Effect from "effect/Effect"
import { assert, describe } from "@effect/vitest"
import { nodeTest } from "../support/nodeTest.ts"
import { planOf, refinementWith } from "../support/TestRun.ts"
import { type Script, scriptedRun } from "../support/ScriptedRun.ts"

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

/** Runs the plan with this first answer of its task, before the report; gives what its first prompt instructs, and events. */
const runWith = Effect.fnUntraced(function* (first: string) {
  let instructions = ""
  const script: Script = {
    refine: (_prompt, _count, { system }) => {
      instructions = system
      return first
    }
  }
  const rules = [{ verdict: "allow", tool: "read_file" }] as const
  const { events, report } = yield* scriptedRun(script, { files, rules }, { prompt: "Explain main.", plan })
  return {
    report,
    instructions,
    rejected: events.flatMap((event) => (event.type === "answer.rejected" ? event.issues : [])),
    inputs: events.flatMap((event) => (event.type === "task.worked" ? [event.inputs] : []))
  }
})

const read = refinementWith([{ name: "read_file", arguments: { path: "src/main.ts" } }])

describe("a skill with typed inputs", () => {
  nodeTest("has them filled in by the first answer, told to whoever listens", function* () {
    const { inputs, instructions, report } = yield* runWith(
      `## Inputs\n\n- \`file\`: src/main.ts\n- \`depth\`: short\n\n${read}`
    )
    assert.strictEqual(report.status, "done")
    assert.deepStrictEqual(inputs, [
      [
        { name: "file", value: "src/main.ts" },
        { name: "depth", value: "short" }
      ]
    ])
    assert.include(
      instructions,
      "```markdown\n## Inputs\n\n- `file`: <path of a file or folder of the project; required>\n- `depth`: <one of: short, long; optional>"
    )
    assert.include(instructions, "### Inputs to give\n\nBegin your first answer with this section.")
  })
})
