import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { layerDatabase } from "../../../src/plugins/cluster/ClusterDatabase.ts"
import { type Asked, askedOf, makeCluster, writing } from "../../support/Cluster.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"
import { freeSkill, planOf, refinementWith } from "../../support/TestRun.ts"
import { waitFor } from "../../support/waitFor.ts"

/** Workers of a run whose only task writes a line into a file and then does `next`; with a secret that is another one each time. */
const makeSender = Effect.fnUntraced(function* (next: string, count: number, hasSecret = false) {
  const cluster = yield* makeCluster
  cluster.sandbox.write("project/.task-conductor/skills/free/SKILL.md", freeSkill)
  let asked = 0
  const argv = () => {
    asked += 1
    return ["sh", "-c", `echo sent >> log.txt${next}`, ...(hasSecret ? [`ghp_${"abc"[asked]?.repeat(36)}`] : [])]
  }
  const script = ({ stage, task }: Asked): string => {
    if (stage === "creation") return planOf([[{ name: "Send 1", skill: "free" }]])
    return stage === "refinement"
      ? refinementWith([{ name: "run_command", arguments: { argv: argv() } }])
      : writing({ stage, task })
  }
  const workers = yield* Effect.forEach(Array.from({ length: count }), () =>
    cluster.worker((body) => script(askedOf(body)))
  )
  const dead = new Set<number>()

  /** Kills the worker that has the call. */
  const killSender = () => {
    for (const [index, { binary }] of workers.entries()) {
      if (dead.has(index) || !binary.stderr().includes('works on "Send 1"')) continue
      dead.add(index)
      binary.child.kill("SIGKILL")
    }
  }
  const log = join(cluster.sandbox.root, "project/log.txt")
  const sent = (): number => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0)
  const untilSent = (times: number) => waitFor(`line ${times} of the log`, () => sent() >= times)
  return { ...cluster, killSender, sent, untilSent }
})

describe("a call of a worker that dies", needsPostgres, () => {
  liveTest("is asked about each time", () =>
    Effect.gen(function* () {
      const { killSender, sent, start, terminal, untilSent } = yield* makeSender("; sleep 600", 3)
      const client = yield* start(["run", "--cluster", "--yes-this-run", "--model", fakeModel, "Do it."])
      yield* untilSent(1)
      killSender()
      expect((yield* Effect.promise(() => client.ended)).code).toBe(4)
      const attached = terminal("attach last")
      yield* Effect.promise(() => attached.shows("Did it happen? "))
      attached.type("n")
      yield* untilSent(2)
      killSender()
      yield* waitFor(
        "the second question",
        () => attached.screen().split("Did it happen? ").length === 3,
        attached.screen
      )
      attached.type("y")
      expect([yield* Effect.promise(() => attached.ended), sent()]).toEqual([0, 2])
    })
  )

  liveTest("is asked about when its answer held a secret, and another worker gets another answer", () =>
    Effect.gen(function* () {
      const { killSender, sent, start, terminal, untilSent } = yield* makeSender("; sleep 600", 2, true)
      const client = yield* start(["run", "--cluster", "--yes-this-run", "--model", fakeModel, "Do it."])
      yield* untilSent(1)
      killSender()
      expect([(yield* Effect.promise(() => client.ended)).code, sent()]).toEqual([4, 1])
      const attached = terminal("attach last")
      yield* Effect.promise(() => attached.shows("Did it happen? "))
      expect(attached.screen()).toContain("stopped, it may still do it when it goes on")
      attached.type("y")
      expect([yield* Effect.promise(() => attached.ended), sent()]).toEqual([0, 1])
    })
  )

  liveTest("is not made again when its outcome is kept, and what came of its task is not", () =>
    Effect.gen(function* () {
      const { killSender, sent, start, untilSent, url } = yield* makeSender("", 2)
      const dying = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        /* The result of the task is held back, as if the worker were slow to write it. */
        yield* sql.unsafe(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
          IF new.state = ''completed'' THEN PERFORM pg_sleep(600); RAISE EXCEPTION ''lost''; END IF; RETURN new; END'`)
        yield* sql`CREATE TRIGGER hold BEFORE UPDATE ON task_conductor_boss.job_common FOR EACH ROW EXECUTE FUNCTION hold()`
        const client = yield* start(["run", "--cluster", "--yes-this-run", "--model", fakeModel, "Do it."])
        yield* untilSent(1)
        const isHeld = sql`SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`
        while ((yield* isHeld).length === 0) yield* Effect.sleep("50 millis")
        killSender()
        yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`
        yield* sql`DROP TRIGGER hold ON task_conductor_boss.job_common`
        return client
      })
      const client = yield* Effect.provide(dying, layerDatabase(Redacted.make(url)))
      expect([(yield* Effect.promise(() => client.ended)).code, sent()]).toEqual([0, 1])
    })
  )
})

describe("a cluster run that ends", needsPostgres, () => {
  liveTest("asks nobody any more, and its stream of events ends only then", () =>
    Effect.gen(function* () {
      const { begin, start, worker } = yield* makeCluster
      yield* worker((body) => writing(askedOf(body)))
      const left = yield* begin()
      const { code, stderr, stdout } = yield* Effect.promise(() => left.ended)
      expect([code, stdout.includes("run.finished")]).toEqual([4, false])
      const runId = /attach (\S+)/.exec(stderr)?.[1] ?? ""
      const cancel = yield* start(["cancel", runId])
      yield* Effect.promise(() => cancel.ended)
      const isRunning = Effect.gen(function* () {
        const listed = yield* start(["runs", "--cluster"])
        return (yield* Effect.promise(() => listed.ended)).stdout.includes("running")
      })
      while (yield* isRunning) yield* Effect.sleep("500 millis")
      const attached = yield* start(["attach", runId])
      const end = yield* Effect.promise(() => attached.ended)
      expect([end.code, end.stderr.includes("waits for an answer")]).toEqual([130, false])
    })
  )
})
