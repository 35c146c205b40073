import { expect } from "@effect/vitest"
import { nodeTest } from "../../support/nodeTest.ts"
import { type Script, scriptedRun } from "../../support/ScriptedRun.ts"
import { planOf, resultSaying } from "../../support/TestRun.ts"

const skillOf = (name: string, more: string): string =>
  `---\nname: ${name}\ndescription: Changes files. Use it in tests.\n${more}\n---\n\n## Execution\n\nSay what changed.\n`

const files = {
  ".task-conductor/skills/careful/SKILL.md": skillOf(
    "careful",
    'allowed-tools: get_current_time\nmetadata:\n  task-conductor.requires-approval: "true"'
  ),
  ".task-conductor/skills/writer/SKILL.md": skillOf("writer", "allowed-tools: write_file")
}

const script: Script = { execute: () => resultSaying("Done.") }

nodeTest("notes the writers that a given plan does not gate, and asks all the same", function* () {
  const plan = planOf([
    [
      { name: "A", skill: "careful" },
      { name: "B", skill: "careful", gated: true },
      { name: "C", skill: "writer" },
      { name: "D", skill: "any" }
    ]
  ])
  const { events, report } = yield* scriptedRun(script, { files }, { plan })
  const repairs = events.flatMap((event) => (event.type === "plan.created" ? (event.repairs ?? []) : []))
  expect(repairs.map(({ code, message, where: { task } }) => [code, task, message])).toEqual([
    ["writer-without-approval", "A", '"A" will wait for approval: the skill "careful" requires approval.'],
    ["writer-without-approval", "C", '"C" will wait for approval: all tools of the skill "writer" are of high risk.']
  ])
  const asked = events.flatMap((event) => (event.type === "approval.requested" ? event.items : []))
  // A only looks, so that there is nothing of it to approve; B is to be approved whatever it does.
  expect(asked.map(({ task }) => task)).toEqual(["B"])
  expect(report.status).toBe("not_permitted")
})
