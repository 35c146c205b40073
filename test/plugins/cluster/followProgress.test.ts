import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { assert, describe } from "@effect/vitest"
import { JournalRecord } from "../../../src/domain/journal/JournalRecord.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { cancelledEnding, ClusterRuns } from "../../../src/plugins/cluster/ClusterRuns.ts"
import { followRun } from "../../../src/plugins/cluster/RunFollower.ts"
import { lineOf } from "../../../src/services/journal/JournalLine.ts"
import { ClusterWork } from "../../../src/plugins/cluster/ClusterWork.ts"
import { liveTest } from "../../support/liveTest.ts"

const at = (second: number) => new Date(1000 * second).toISOString()
const call = (task: string) => ({ stage: "task" as const, round: 1, task, attempt: 1 })
const progress = (task: string, second: number) => ({
  at: at(second),
  event: { type: "model.progress" as const, call: call(task), phase: "writing" as const, seconds: second }
})
const eventLine = (seq: number, second: number, event: RunEvent) =>
  lineOf({ seq, at: at(second), json: Schema.encodeSync(JournalRecord)({ type: "event", event }), text: "" })

/** The calls of both tasks began; that of `Look 1` has ended. */
const lines = [
  eventLine(1, 1, { type: "model.started", call: call("Look 1"), estimatedTokens: 1 }),
  eventLine(2, 1, { type: "model.started", call: call("Look 2"), estimatedTokens: 1 }),
  eventLine(3, 4, { type: "model.finished", call: call("Look 1"), usage: { durationMs: 1 } })
]

describe("followRun", () => {
  liveTest("tells how far calls are that go on, and not those that ended since", function* () {
    const reported: Array<string> = []
    const runs = Layer.mock(ClusterRuns)({
      news: (_runId, seq) =>
        Effect.succeed({
          events: lines.filter((line) => line.seq > seq),
          isAll: true,
          isCancelled: false,
          version: "2",
          ...(seq > 0 ? { ending: cancelledEnding } : {})
        })
    })
    const approver = Layer.mock(Approver)({})
    const listen = ({ event }: { readonly event: RunEvent }) =>
      Effect.sync(
        () => void reported.push(`${event.type} ${"call" in event && "task" in event.call ? event.call.task : ""}`)
      )
    const said = [progress("Look 1", 3), progress("Look 2", 3), progress("Look 2", 5)]
    yield* followRun("run-1", listen, {
      progress: (version) => Effect.succeed(version === "2" ? said : []),
      redact: (value) => value
    }).pipe(Effect.provide(Layer.mergeAll(runs, approver, Layer.mock(ClusterWork)({}))))
    assert.deepStrictEqual(reported, [
      "model.started Look 1",
      "model.started Look 2",
      "model.finished Look 1",
      "model.progress Look 2",
      "model.progress Look 2"
    ])
  })
})
