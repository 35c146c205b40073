/**
 * What is told is kept: with a disk that does not come to an end, no result of a call is told, and once it has, it is.
 */
import { describe, expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { RunEvent } from "../../src/domain/runs/RunEvent.ts"
import { ResumeNotes } from "../../src/services/pipeline/ResumeNotes.ts"
import { Journal } from "../../src/services/journal/Journal.ts"
import type { JournalRecord } from "../../src/domain/journal/JournalRecord.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import { ScriptedModel } from "../../src/services/providers/ScriptedModel.ts"
import { EventLog } from "../support/EventLog.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { answerIn, layerTestRun, planOf } from "../support/TestRun.ts"
import { waitFor } from "../support/waitFor.ts"
import { untilQuiet } from "../support/untilQuiet.ts"
import { stageName } from "../support/stageName.ts"

const model = ScriptedModel.layer((prompt) => answerIn(stageName(prompt), { creation: planOf([[{ name: "Look" }]]) }))

/** What is told when records with this in their key wait for the disk. */
const cases: ReadonlyArray<readonly [what: string, key: string, isTold: (event: RunEvent) => boolean]> = [
  [
    "an answer of the model",
    "/attempt-2",
    (told) => told.type === "model.finished" && told.call.stage === "task" && told.call.attempt === 2
  ],
  ["a result of a tool", "/tool/", (told) => told.type === "tool.finished"],
  ["a refinement", "/refined/", (told) => told.type === "task.worked"],
  ["a result of a task", "/task/", (told) => told.type === "task.finished"],
  ["a plan", "plan", (told) => told.type === "plan.created"]
]

describe("an event", () => {
  for (const [what, part, isTold] of cases) {
    nodeTest(`tells ${what} only when it is on the disk`, function* () {
      const disk = yield* Deferred.make<void>()
      let isWaiting = false
      const append = (record: JournalRecord) =>
        Effect.suspend(() => {
          if (!("key" in record) || record.type === "intent" || !record.key.includes(part)) return Effect.void
          isWaiting = true
          return Deferred.await(disk)
        })
      const journal = Layer.effect(
        Journal,
        Effect.map(Journal, (none) => ({ ...none, append }))
      ).pipe(Layer.provide(Journal.layerNone))
      yield* Effect.gen(function* () {
        const { events } = yield* EventLog
        const run = yield* Effect.forkChild(
          Pipeline.use((pipeline) => pipeline.run({ runId: "20261120-183000-k3x9", prompt: "Do it." }))
        )
        yield* waitFor("the record", () => isWaiting)
        yield* untilQuiet
        expect(events().filter(isTold)).toEqual([])
        yield* Deferred.succeed(disk, undefined)
        expect((yield* Fiber.join(run)).status).toBe("done")
        expect(events().filter(isTold).length).toBe(1)
      }).pipe(
        Effect.provide(
          layerTestRun({ journal: Layer.merge(journal, ResumeNotes.layerNone) }).pipe(Layer.provideMerge(model))
        )
      )
    })
  }
})
