import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { Pipeline } from "../../../src/services/pipeline/Pipeline.ts"
import { ScriptedModel } from "../../../src/services/providers/ScriptedModel.ts"
import { EventLog } from "../../support/EventLog.ts"
import { stageName } from "../../support/stageName.ts"
import { layerTestRun, planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"

const skillOf = (name: string, more: string): string =>
  `---\nname: ${name}\ndescription: Changes files. Use it in tests.\n${more}\n---\n\n## Execution\n\nSay what changed.\n`

const files = {
  ".task-conductor/skills/careful/SKILL.md": skillOf(
    "careful",
    'allowed-tools: get_current_time\nmetadata:\n  task-conductor.requires-approval: "true"'
  ),
  ".task-conductor/skills/writer/SKILL.md": skillOf("writer", "allowed-tools: write_file")
}

const model = ScriptedModel.layer((prompt) =>
  stageName(prompt) === "refinement"
    ? refinementWith([{ name: "get_current_time", arguments: {} }])
    : resultSaying("Done.")
)

const layerOf = (approver: Layer.Layer<Approver>) => layerTestRun({ files, approver }).pipe(Layer.provide(model))

it.effect("notes the writers that a given plan does not gate, and asks all the same", () =>
  Effect.gen(function* () {
    const pipeline = yield* Pipeline
    const plan = planOf([
      [
        { name: "A", skill: "careful" },
        { name: "B", skill: "careful", gated: true },
        { name: "C", skill: "writer" },
        { name: "D", skill: "any" }
      ]
    ])
    const report = yield* pipeline.run({ runId: "run-1", prompt: "Do it.", plan })
    const events = (yield* EventLog).events()
    expect(events.flatMap((event) => (event.type === "plan.created" ? [event.repairs] : []))).toEqual([
      [
        {
          code: "writer-without-approval",
          where: { section: "Task section 1", task: "A", field: "Requires user approval", line: 13 },
          message: '"A" will wait for approval: the skill "careful" requires approval.'
        },
        {
          code: "writer-without-approval",
          where: { section: "Task section 1", task: "C", field: "Requires user approval", line: 24 },
          message: '"C" will wait for approval: all tools of the skill "writer" are of high risk.'
        }
      ]
    ])
    const asked = events.flatMap((event) => (event.type === "approval.requested" ? event.items : []))
    // A only looks, so that there is nothing of it to approve; B is to be approved whatever it does.
    expect(asked.map(({ task }) => task)).toEqual(["B"])
    expect(report.status).toBe("not_permitted")
  }).pipe(Effect.provide(layerOf(Approver.layerDenyAll)))
)

it.effect("says nothing about a plan that gates its writers", () =>
  Effect.gen(function* () {
    const pipeline = yield* Pipeline
    const plan = planOf([[{ name: "B", skill: "careful", gated: true }, { name: "D" }]])
    yield* pipeline.run({ runId: "run-1", prompt: "Do it.", plan })
    const created = (yield* EventLog).events().filter((event) => event.type === "plan.created")
    expect(created.map((event) => "repairs" in event)).toEqual([false])
  }).pipe(Effect.provide(layerOf(Approver.layerDenyAll)))
)
