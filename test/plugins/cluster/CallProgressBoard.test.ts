import { assert, describe, it } from "@effect/vitest"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { makeCallProgressBoard } from "../../../src/plugins/cluster/ClusterWorkers.ts"

const at = (second: number) => new Date(1000 * second).toISOString()
const call = (task: string) => ({ stage: "task" as const, round: 1, task, attempt: 1 })
const progress = (task: string, seconds: number): RunEvent => ({
  type: "model.progress",
  call: call(task),
  phase: "writing",
  seconds,
  tokens: 10 * seconds,
  tokensPerSecond: 10
})

describe("how far the calls of a worker are", () => {
  it("is the last that each call of each run said", () => {
    const board = makeCallProgressBoard()
    for (const second of [1, 2]) {
      board.take("run-1", { at: at(second), event: progress("Look 1", second) })
      board.take("run-2", { at: at(second), event: progress("Look 1", 5 + second) })
    }
    assert.deepStrictEqual(
      board.shown(3000).map(({ event, runId }) => [runId, event.seconds]),
      [
        ["run-1", 2],
        ["run-2", 7]
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
      board.take("run-1", { at: at(1), event: progress("Look 1", 1) })
      board.take("run-1", { at: at(1), event: progress("Look 2", 1) })
      board.take("run-1", { at: at(2), event })
      const shown = (now: number) => board.shown(now).map(({ event: { call } }) => call.task)
      assert.deepStrictEqual([shown(2000), shown(5000), shown(5001)], [["Look 2"], ["Look 2"], []])
    }
  })

  it("reports 40 calls at most", () => {
    const board = makeCallProgressBoard()
    for (let count = 0; count < 50; count += 1) {
      board.take("run-1", { at: at(1), event: progress(`Look ${count}`, 1) })
    }
    assert.lengthOf(board.shown(1000), 40)
  })
})
