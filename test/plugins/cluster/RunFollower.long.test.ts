import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { assert, describe } from "@effect/vitest"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { ClusterRuns } from "../../../src/plugins/cluster/ClusterRuns.ts"
import { followRun } from "../../../src/plugins/cluster/RunFollower.ts"
import { ClusterWork } from "../../../src/plugins/cluster/ClusterWork.ts"
import { appendWith, clusterRun, leaseRun, onDatabase } from "../../support/LeasedRun.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"

const runId = "run-1"
const question: RunEvent = { type: "approval.requested", scope: "step", title: "Task section 1", hash: "h", items: [] }

/**
 * Follows a run whose worker has recorded a question and not yet its answer, over several polls. Returns the titles that somebody was asked about here, and the error with which the follower left.
 */
const followQuestion = Effect.fnUntraced(function* ({
  approveSteps,
  isSaved
}: {
  approveSteps: boolean
  isSaved: boolean
}) {
  const asked: Array<string> = []
  const approver = Layer.succeed(Approver)(
    Approver.of({
      step: (title) => Effect.sync(() => void asked.push(title)).pipe(Effect.as({ answer: "decline", by: "nobody" })),
      call: () => Effect.die("no call"),
      inDoubt: () => Effect.die("no doubt")
    })
  )
  const body = Effect.gen(function* () {
    const runs = yield* ClusterRuns
    const lease = yield* leaseRun({ ...clusterRun(runId), approveSteps })
    if (isSaved) yield* (yield* ClusterWork).answer(runId, "h", JSON.stringify({ answer: "step", by: "person" }))
    yield* appendWith(lease, { type: "event", event: question })
    const isPast = yield* Deferred.make<void>()
    let polls = 0
    const counted = ClusterRuns.of({
      ...runs,
      news: (id, seq) =>
        Effect.tap(runs.news(id, seq), () => (++polls === 3 ? Deferred.succeed(isPast, undefined) : Effect.void))
    })
    const follower = yield* followRun(runId, () => Effect.void).pipe(
      Effect.provideService(ClusterRuns, counted),
      Effect.flip,
      Effect.forkChild
    )
    const left = yield* Effect.raceFirst(Fiber.join(follower), Effect.as(Deferred.await(isPast), undefined))
    yield* Fiber.interrupt(follower)
    return { asked, left: left instanceof Error ? left.message : undefined }
  })
  return yield* onDatabase(Effect.provide(body, approver))
})

describe("followRun", needsPostgres, () => {
  liveTest("leaves when a question waits for an answer that nobody can give", function* () {
    const { asked, left } = yield* followQuestion({ approveSteps: false, isSaved: false })
    assert.deepStrictEqual(asked, ["Task section 1"])
    assert.include(left, 'waits for an answer about "Step 1"')
  })

  for (const [what, given] of [
    ["a step that is approved with the run, before the worker records it", { approveSteps: true, isSaved: false }],
    ["what somebody has answered before another worker took the run over", { approveSteps: false, isSaved: true }]
  ] as const) {
    liveTest(`asks nobody about ${what}`, () =>
      Effect.map(followQuestion(given), (found) => assert.deepStrictEqual(found, { asked: [], left: undefined }))
    )
  }
})
