import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { askedOf, makeCluster, writing } from "../../support/Cluster.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"
import { planOf, refinementWith } from "../../support/TestRun.ts"

describe("a worker alone with a database that crashes", needsPostgres, () => {
  liveTest("goes on with its run when the database is back", function* () {
    const { begin, postgres, worker } = yield* makeCluster

    let held = 0

    const { binary, server } = yield* worker((body) => {
      const { stage, task } = askedOf(body)
      if (stage === "creation") return planOf([[{ name: "Look 1" }, { name: "Look 2" }]])
      if (stage === "refinement") return refinementWith([{ name: "get_current_time", arguments: {} }])

      const text = writing({ stage, task })
      return stage === "execution" && task === "Look 2" && (held += 1) === 1 ? { text, hold: "once" } : text
    })
    const client = yield* begin()
    /* One task has ended, and the run still waits for the other one. */
    yield* Effect.promise(() => client.says('"type":"task.finished"'))
    yield* server.until(() => held === 1)
    yield* Effect.promise(() => postgres.stop("immediate"))
    yield* Effect.promise(() => binary.says("this worker stops what it does"))
    yield* Effect.promise(() => postgres.start())
    expect((yield* Effect.promise(() => client.ended)).code).toBe(0)
    expect([binary.child.exitCode, held]).toEqual([null, 2])
    expect(binary.stderr()).toContain("The database answers again.")
  })
})
