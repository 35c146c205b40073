import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { JournalRecord } from "../../../src/domain/journal/JournalRecord.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { cancelledEnding, ClusterRuns } from "../../../src/plugins/cluster/ClusterRuns.ts"
import { ClusterWork } from "../../../src/plugins/cluster/ClusterWork.ts"
import { makeCallProgressBoard } from "../../../src/plugins/cluster/ClusterWorkers.ts"
import { followRun } from "../../../src/plugins/cluster/RunFollower.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { lineOf } from "../../../src/services/journal/JournalLine.ts"
import { liveTest } from "../../support/liveTest.ts"

const at = (second: number) => new Date(1000 * second).toISOString()
const call = (task: string) => ({ stage: "task" as const, round: 1, task, attempt: 1 })
const progress = (task: string, seconds: number) => ({
  at: at(seconds),
  event: { type: "model.progress" as const, call: call(task), phase: "writing" as const, seconds }
})

describe("how far the calls of a worker are", () => {
  it("is the last that each call of each run said", () => {
    const board = makeCallProgressBoard()
    for (const second of [1, 2]) {
      board.take("run-1", progress("Look 1", second))
      board.take("run-2", progress("Look 1", 1 + second))
    }
    assert.deepStrictEqual(
      board.shown(3000).map(({ event, runId }) => [runId, event.seconds]),
      [
        ["run-1", 2],
        ["run-2", 3]
      ]
    )
  })

  it("is gone after the end of a call, or when it says nothing more", () => {
    const ends: ReadonlyArray<RunEvent> = [
      { type: "model.finished", call: call("Look 1"), usage: { durationMs: 1 } },
      { type: "model.failed", call: call("Look 1"), reason: "Busy", message: "busy", willRetry: true }
    ]
    for (const event of ends) {
      const board = makeCallProgressBoard()
      board.take("run-1", progress("Look 1", 1))
      board.take("run-1", progress("Look 2", 1))
      board.take("run-1", { at: at(2), event })
      const shown = (now: number) => board.shown(now).map(({ event: { call } }) => call.task)
      assert.deepStrictEqual([shown(2000), shown(5000), shown(5001)], [["Look 2"], ["Look 2"], []])
    }
  })

  it("reports 40 calls at most", () => {
    const board = makeCallProgressBoard()
    for (let count = 0; count < 50; count += 1) board.take("run-1", progress(`Look ${count}`, 1))
    assert.lengthOf(board.shown(1000), 40)
  })
})

const eventLine = (seq: number, second: number, event: RunEvent) =>
  lineOf({ seq, at: at(second), json: Schema.encodeSync(JournalRecord)({ type: "event", event }), text: "" })

/** The calls of both tasks began; that of `Look 1` has ended. */
const lines = [
  eventLine(1, 1, { type: "model.started", call: call("Look 1"), estimatedTokens: 1 }),
  eventLine(2, 1, { type: "model.started", call: call("Look 2"), estimatedTokens: 1 }),
  eventLine(3, 4, { type: "model.finished", call: call("Look 1"), usage: { durationMs: 1 } })
]

liveTest("followRun tells how far calls are that go on, and not those that ended since", function* () {
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
