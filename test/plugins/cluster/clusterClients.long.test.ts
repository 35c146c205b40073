import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ClusterWorkers } from "../../../src/plugins/cluster/ClusterWorkers.ts"
import { askedOf, makeCluster, runIdIn, writing } from "../../support/Cluster.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"
import { needsTerminal } from "../../support/PseudoTerminal.ts"
import { layerOn } from "../../support/LeasedRun.ts"

const begin = ["run", "--cluster", "--model", fakeModel]

/** A worker of this version that is there, but does nothing. */
const addWorker = (url: string, version: string) =>
  ClusterWorkers.use(({ report }) =>
    report({ name: "elsewhere", version, begunAt: "2026-11-20T18:30:00.000Z", slots: 1, runs: 0, tasks: 0 })
  ).pipe(Effect.provide(layerOn(url)))

describe("a client of cluster runs", needsPostgres, () => {
  liveTest(
    "leaves when nobody can answer, and another one answers on a terminal",
    function* () {
      const { ended, sandbox, terminal, worker } = yield* makeCluster
      yield* worker((body) => writing(askedOf(body)))
      const left = yield* ended([...begin, "Do it."])
      const runId = runIdIn(left.stderr)
      expect(left.code).toBe(4)
      expect(left.stderr).toContain(
        `The run ${runId} waits for an answer about "Step 1", and nobody can be asked here. It continues when somebody answers. Answer from any machine: task-conductor attach ${runId}`
      )
      const list = yield* ended(["runs", "--cluster"])
      expect(list.stdout).toMatch(new RegExp(`^${runId} .* running`))
      expect(list.stderr).toMatch(
        /^worker \S+ {2}\S+ {2}\d runs?, \d tasks?, \d+ model calls? at once {2}seen \d+ s ago$/m
      )
      // A worker says every two seconds what it does.
      const seen = yield* ended(["doctor", "--cluster"]).pipe(
        Effect.repeat({ until: ({ stdout }) => stdout.includes(": 1 run, "), times: 5 })
      )
      expect([seen.code, seen.stderr]).toEqual([0, ""])
      expect(seen.stdout).toMatch(/^ {2}ok +database +PostgreSQL \d/m)
      expect(seen.stdout).toMatch(/^ {2}ok +TLS +not in use; the database is on this machine$/m)
      expect(seen.stdout).toMatch(
        /^ {2}ok +worker +\S+, version \S+: 1 run, \d tasks?, \d+ model calls? at once, seen /m
      )
      const attached = terminal("attach last")
      yield* Effect.promise(() => attached.shows("Allow? "))
      expect(attached.screen()).toContain("wants to create a.txt")
      attached.type("y")
      expect(yield* Effect.promise(() => attached.ended)).toBe(0)
      expect(attached.screen()).toContain("All is done.")
      expect(readFileSync(join(sandbox.root, "project/a.txt"), "utf8")).toBe("new\n")
      const shown = yield* ended(["show", "--cluster", runId, "--task", "Write 1"])
      expect(shown.stdout).toContain("Result of Write 1.")
    },
    needsTerminal
  )

  liveTest("answers without a terminal with --yes what nobody could answer before", function* () {
    const { ended, sandbox, worker } = yield* makeCluster
    yield* worker((body) => writing(askedOf(body)))
    expect((yield* ended([...begin, "Do it."])).code).toBe(4)
    const { code, stdout } = yield* ended(["attach", "last", "--yes"])
    expect([code, stdout.includes("All is done.")]).toEqual([0, true])
    expect(readFileSync(join(sandbox.root, "project/a.txt"), "utf8")).toBe("new\n")
  })

  liveTest("says that no worker is there, and that one came, once each", function* () {
    const { ended, start, worker } = yield* makeCluster
    const first = yield* start([...begin, "--yes-this-run", "Do it."])
    const missing = "No worker is at work; the run waits for one. Start one on any machine: task-conductor worker"
    yield* Effect.promise(() => first.says(missing))
    const attached = yield* start(["attach", "last"])
    yield* Effect.promise(() => attached.says(missing))
    const { binary, server } = yield* worker((body) => ({ text: writing(askedOf(body)), hold: "told" }))
    for (const client of [first, attached]) yield* Effect.promise(() => client.says(" is there now."))
    yield* server.release("told")
    for (const client of [first, attached]) {
      const { code, stderr } = yield* Effect.promise(() => client.ended)
      expect([code, stderr.split("No worker").length, stderr.split(" is there now.").length], stderr).toEqual([0, 2, 2])
      expect(stderr).toMatch(new RegExp(`^The worker \\S+-${binary.child.pid}-\\w+ is there now.$`, "m"))
    }
    expect((yield* ended(["attach", "last"])).stderr).not.toContain("No worker")
  })

  liveTest("is refused when another run changes the project, and ends that one", function* () {
    const { ended, start, worker } = yield* makeCluster
    const { server } = yield* worker((body) => ({ text: writing(askedOf(body)), hold: "never" }))
    const first = yield* start([...begin, "Do it."])
    yield* server.until(({ chats }) => chats.length > 0)
    const refused = yield* ended([...begin, "Do it."])
    const runId = runIdIn(refused.stderr)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(`end it with "task-conductor cancel ${runId}"`)
    /* A run that changes nothing needs no lock. */
    expect(yield* ended(["run", "--model", "embedded", "Do it."])).toMatchObject({ code: 0 })
    expect((yield* ended(["cancel", runId])).code).toBe(0)
    const left = yield* Effect.promise(() => first.ended)
    expect([left.code, left.stderr.includes("interrupted")]).toEqual([130, true])
    yield* server.until(({ abortedCount }) => abortedCount() === 1)
    const again = { code: 1, stderr: `The run ${runId} had already ended.\n` }
    expect(yield* ended(["cancel", runId])).toMatchObject(again)
  })

  liveTest("says what is wrong with the database, and never its password", function* () {
    const { ended, start, url } = yield* makeCluster
    expect(yield* ended(["runs", "--cluster"], { TASK_CONDUCTOR_DATABASE: "" })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("TASK_CONDUCTOR_DATABASE is not set")
    })
    const wrong = "The database that TASK_CONDUCTOR_DATABASE names cannot be used: "
    for (const url of ["postgres://me:s3cret@127.0.0.1:1/name", "no address s3cret"]) {
      const env = { TASK_CONDUCTOR_DATABASE: url }
      const { code, stderr } = yield* ended(["worker"], env)
      expect([code, stderr.split("\n").length, stderr.includes(wrong)]).toEqual([1, 2, true])
      const seen = yield* ended(["doctor", "--cluster"], env)
      expect([seen.code, seen.stderr]).toEqual([1, ""])
      expect(seen.stdout).toMatch(new RegExp(`^ {2}problem +database +${wrong.slice(0, -6)}`, "m"))
      expect(stderr + seen.stdout).not.toContain("s3cret")
    }
    const { can_start, findings } = JSON.parse((yield* ended(["doctor", "--cluster", "--json"])).stdout)
    const remedy = "Start one on a machine with a model server: task-conductor worker."
    const none = { name: "worker", state: "problem", what: "none is alive", remedy }
    expect([can_start, findings.at(-2)]).toEqual([false, none])

    /* The worker of another build is alive, but takes no run of this one. */
    yield* addWorker(url, "0.0.9")
    const other = yield* ended(["doctor", "--cluster"])
    expect(other.code).toBe(1)
    expect(other.stdout).toMatch(/^ {2}note +worker +elsewhere, version \S+: .* ago$/m)
    const waits = /^ {2}problem +workers +none has version \S+, so that a run that is started here waits$/m
    expect(other.stdout).toMatch(waits)
    const run = yield* start([...begin, "Do it."])
    yield* Effect.promise(() => run.says("No worker has version "))
  })
})
