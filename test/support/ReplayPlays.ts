/** Sessions of a run that are played again. */
import { expect } from "@effect/vitest"
import type { RunOrder } from "../../src/domain/runs/RunOrder.ts"
import type { RunStatus } from "../../src/domain/runs/RunReport.ts"
import type { CallAnswer, StepAnswer } from "../../src/domain/permissions/Answer.ts"
import type { Session } from "./KeptRun.ts"
import { liveTest } from "./liveTest.ts"
import { modelOf, replayed, same, start, write } from "./ReplayedRun.ts"
import { scriptedApprover } from "./ScriptedApprover.ts"

export const answering = (steps: ReadonlyArray<StepAnswer>, calls: ReadonlyArray<CallAnswer> = []) =>
  scriptedApprover({ steps, calls }).layer

/** A session that ends with this status is the same when it is played again. */
export const plays = (
  name: string,
  given: {
    readonly status: RunStatus
    readonly order?: Partial<RunOrder>
    readonly sessions: () => ReadonlyArray<Session>
  }
) =>
  liveTest(name, function* () {
    const run = yield* start(given.order)
    let status: RunStatus | undefined
    for (const session of given.sessions()) status = (yield* run.session(session)).report?.status
    expect(status).toBe(given.status)
    expect(yield* replayed(run)).toEqual(same)
  })

export const writers = (count: number) =>
  modelOf(
    Array.from({ length: count }, (_, index) => [{ name: `Write ${index + 1}` }]),
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`Write ${index + 1}`, [write(`${index}.txt`)]]))
  )
