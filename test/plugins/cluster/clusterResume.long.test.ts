import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { askedOf, makeCluster, runIdIn, writing } from "../../support/Cluster.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { liveTest } from "../../support/liveTest.ts"
import { makeOtherBuild } from "../../support/otherBuild.ts"
import { needsPostgres } from "../../support/Postgres.ts"

describe("a run on the workers that has ended", needsPostgres, () => {
  liveTest("is resumed where it was, forked, reported and replayed as a local one", function* () {
    const { ended, sandbox, worker } = yield* makeCluster
    const asked = new Map<string, number>()
    yield* worker((body) => {
      const { stage, task } = askedOf(body)
      asked.set(`${stage} ${task}`, (asked.get(`${stage} ${task}`) ?? 0) + 1)
      return writing({ stage, task })
    })
    const left = yield* ended(["run", "--cluster", "--model", fakeModel, "Do it."])
    expect(left.code, left.stderr).toBe(4)
    const runId = runIdIn(left.stderr)
    const early = yield* ended(["resume", runId, "--cluster"])
    expect([early.code, early.stderr.includes(`Follow it: task-conductor attach ${runId}`)]).toEqual([2, true])
    yield* ended(["cancel", runId])
    const cancelled = yield* ended(["attach", runId])
    expect(cancelled.code, cancelled.stderr).toBe(130)
    expect(cancelled.stderr).toContain(`Resume it: task-conductor resume ${runId} --cluster`)
    const resumed = yield* ended(["resume", runId, "--cluster", "--yes"])
    expect([resumed.code, resumed.stdout.includes("All is done.")], resumed.stderr).toEqual([0, true])
    expect(readFileSync(join(sandbox.root, "project/a.txt"), "utf8")).toBe("new\n")
    /* What had been answered is not asked again. */
    expect(asked.get("creation ")).toBe(1)
    const replayed = yield* ended(["replay", runId, "--cluster"])
    const isSame = replayed.stderr.includes("is the same")
    expect([replayed.code, isSame], replayed.stderr + replayed.stdout).toEqual([0, true])
    const reported = yield* ended(["report", runId, "--cluster", "--json"])
    expect([reported.code, reported.stdout.includes("Result of Write 1.")]).toEqual([0, true])
    const forked = yield* ended(["fork", runId, "--cluster", "--from", "Look 1", "--yes"])
    expect([forked.code, forked.stdout.includes("All is done.")], forked.stderr).toEqual([0, true])
    expect([asked.get("refinement Write 1"), asked.get("refinement Look 1")]).toEqual([1, 2])
    const wrong = yield* ended(["fork", runId, "--cluster", "--from", "Lok 1"])
    expect([wrong.code, wrong.stderr.includes("Look 1")]).toEqual([2, true])
  })

  liveTest(
    "goes on with workers of another build when those of its own have ended, and does nothing twice",
    function* () {
      const { ended, sandbox, start, worker } = yield* makeCluster
      const old = makeOtherBuild(join(sandbox.root, "old"))
      const asked: Array<string> = []
      const script = (isHeld: boolean) => (body: Parameters<typeof askedOf>[0]) => {
        const { stage, task } = askedOf(body)
        asked.push(`${stage} ${task}`)
        const text = writing({ stage, task })
        return isHeld && stage === "refinement" && task === "Look 1" ? { text, hold: "upgrade" } : text
      }
      const first = yield* worker(script(true), [], {}, old.program)
      const words = ["run", "--cluster", "--yes-this-run", "--model", fakeModel, "Do it."]
      const client = yield* start(words, {}, old.program)
      yield* first.server.until(() => asked.includes("refinement Look 1"))
      const second = yield* worker(script(false))
      yield* Effect.promise(() => second.binary.says(`was started with version ${old.version} of task-conductor.`))
      const runId = runIdIn(second.binary.stderr())
      const resumeNow = ended(["resume", runId, "--cluster", "--yes"])
      const early = yield* resumeNow
      expect([early.code, early.stderr.includes("has not ended")]).toEqual([2, true])
      first.binary.child.kill("SIGTERM")
      yield* Effect.promise(() => first.binary.ended)
      yield* Effect.promise(() => client.says(`of the workers: task-conductor resume ${runId} --cluster`))
      /* A worker that could not give its leases back in time keeps them for some seconds. */
      const resumed = yield* Effect.repeat(resumeNow, { until: ({ code }) => code !== 2, times: 20 })
      expect([resumed.code, resumed.stdout.includes("All is done.")], resumed.stderr).toEqual([0, true])
      /* The client of the old build has waited for it. */
      const waited = yield* Effect.promise(() => client.ended)
      expect([waited.code, waited.stdout.includes("All is done.")], waited.stderr).toEqual([0, true])
      expect(waited.stderr.split("No worker has version").length).toBe(2)
      const counts = ["creation ", "refinement Write 1", "refinement Look 1"].map(
        (one) => asked.filter((other) => other === one).length
      )
      expect(counts).toEqual([1, 1, 2])
    }
  )
})
