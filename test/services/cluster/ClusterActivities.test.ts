import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { assert, describe } from "@effect/vitest"
import { WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import { modelCallKey, toolCallKey } from "../../../src/domain/runs/ActivityKey.ts"
import { makeValueRedaction, redacted } from "../../../src/domain/text/Redaction.ts"
import { layerClusterActivities } from "../../../src/services/cluster/ClusterJournal.ts"
import { RunWorkflow } from "../../../src/services/cluster/RunWorkflow.ts"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { secrets } from "../../support/SecretForms.ts"

const redact = makeValueRedaction(["the-s3cret-value"])

const layer = layerClusterActivities(redact).pipe(
  Layer.provide(Layer.merge(Activities.layerUnsaved, Journal.layerNone))
)

/** What the engine gets of an activity with this outcome, to save it. */
const saved = Effect.fnUntraced(function* (key: string, outcome: { readonly text: string }) {
  const { run } = yield* Activities
  const success = Schema.Struct({ text: Schema.String })
  return yield* run({ key, input: "1", success, error: Schema.Never, execute: Effect.succeed(outcome) })
}, Effect.provide(layer))

const call = { round: 1, task: "Task 1", attempt: 1 }
const calls = {
  plan: modelCallKey({ stage: "plan", round: 1, attempt: 1 }),
  iteration: modelCallKey({ stage: "iterate", round: 1, attempt: 1 }),
  tool: toolCallKey({ round: 1, task: "Task 1", uid: "call-1" })
}

describe("what the engine of a cluster saves", () => {
  for (const [name, key] of Object.entries(calls)) {
    nodeTest(`holds no secret: ${name}`, () =>
      Effect.gen(function* () {
        for (const secret of [...Object.values(secrets), "the-s3cret-value"]) {
          assert.deepStrictEqual(yield* saved(key, { text: `TOKEN=${secret}` }), { text: `TOKEN=${redacted}` })
        }
      })
    )
  }

  nodeTest("holds no secret in a failure", () =>
    Effect.gen(function* () {
      const { run } = yield* Activities
      const failure = yield* run({
        key: calls.tool,
        input: "1",
        success: Schema.Void,
        error: Schema.Struct({ denied: Schema.String }),
        execute: Effect.fail({ denied: "curl the-s3cret-value" })
      }).pipe(Effect.flip)
      assert.deepStrictEqual(failure, { denied: `curl ${redacted}` })
    }).pipe(Effect.provide(layer))
  )

  nodeTest("holds nothing of what makes the calls of a task, which are needed whole", () =>
    Effect.gen(function* () {
      const outcome = { text: "TOKEN=the-s3cret-value" }
      const engine = Layer.mock(WorkflowEngine)({ activityExecute: () => Effect.die("the engine saves it") })
      const instance = WorkflowInstance.initial(RunWorkflow, "run-1")
      const reported: Array<unknown> = []
      const { run } = yield* Activities
      const activity = (key: string) =>
        run({
          key,
          input: "1",
          success: Schema.Struct({ text: Schema.String }),
          error: Schema.Never,
          execute: Effect.succeed(outcome),
          publish: (one) => Effect.sync(() => void reported.push(one))
        }).pipe(Effect.provide(engine), Effect.provideService(WorkflowInstance, instance))
      const refined = activity(modelCallKey({ stage: "task", ...call }))
      assert.deepStrictEqual([yield* refined, reported], [outcome, [outcome]])
      const planned = yield* Effect.flip(Effect.sandbox(activity(calls.plan)))
      assert.strictEqual(Cause.squash(planned), "the engine saves it")
    }).pipe(Effect.provide(layer))
  )
})
