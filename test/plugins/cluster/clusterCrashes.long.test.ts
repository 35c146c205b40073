import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Asked, askedOf, makeCluster, runIdIn, writing } from "../../support/Cluster.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { withSql } from "../../support/LeasedRun.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"
import { needsTerminal } from "../../support/PseudoTerminal.ts"
import { freeSkill, planOf, refinementWith } from "../../support/TestRun.ts"
import { waitFor } from "../../support/waitFor.ts"

/** Workers of a run whose only task writes a line into a file and then does `next`; with a secret that is another one each time. */
const makeSender = Effect.fnUntraced(function* (
  next: string,
  count: number,
  { hasSecret = false, wantsAgain = false } = {}
) {
  const cluster = yield* makeCluster
  cluster.sandbox.write("project/.task-conductor/skills/free/SKILL.md", freeSkill)
  let asked = 0
  const argv = () => {
    asked += 1
    return ["sh", "-c", `echo sent >> log.txt${next}`, ...(hasSecret ? [`ghp_${"abc"[asked]?.repeat(36)}`] : [])]
  }
  const script = ({ stage, task }: Asked): string => {
    if (stage === "creation" || (wantsAgain && stage === "iteration")) {
      return planOf([[{ name: "Send 1", skill: "free" }]])
    }
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
  const start = cluster.start(["run", "--cluster", "--yes-this-run", "--model", fakeModel, "Do it."])

  /** Kills the worker at its call, and comes back on a terminal to what is asked then. */
  const killedAndAsked = Effect.gen(function* () {
    const client = yield* start
    yield* untilSent(1)
    killSender()
    const left = yield* Effect.promise(() => client.ended)
    const isAsked = left.stderr.includes('waits for an answer about "Send 1"')
    expect([left.code, isAsked, sent()], left.stderr).toEqual([4, true, 1])
    const attached = cluster.terminal("attach last")
    yield* Effect.promise(() => attached.shows("Did it happen? "))
    return attached
  })
  return { ...cluster, killSender, killedAndAsked, sent, start, untilSent }
})

describe("a call of a worker that dies", { ...needsPostgres, ...needsTerminal }, () => {
  liveTest("is asked about each time, made again at a no, and taken as done at a yes", function* () {
    const { killedAndAsked, killSender, sent, untilSent } = yield* makeSender("; sleep 600", 3)
    const attached = yield* killedAndAsked
    expect(attached.screen()).toContain("did this happen?")
    attached.type("n")
    yield* untilSent(2)
    killSender()
    const isAskedAgain = () => attached.screen().split("Did it happen? ").length === 3
    yield* waitFor("the second question", isAskedAgain, attached.screen)
    attached.type("y")
    expect([yield* Effect.promise(() => attached.ended), sent()]).toEqual([0, 2])
  })

  liveTest("ends the run when somebody stops it, although the model wants it again", function* () {
    const { killedAndAsked, sent } = yield* makeSender("; sleep 600", 2, { wantsAgain: true })
    const attached = yield* killedAndAsked
    attached.type("s")
    expect([yield* Effect.promise(() => attached.ended), sent()]).toEqual([4, 1])
  })

  liveTest("is asked about when its answer held a secret, and another worker gets another answer", function* () {
    const { killedAndAsked, sent } = yield* makeSender("; sleep 600", 2, { hasSecret: true })
    const attached = yield* killedAndAsked
    expect(attached.screen()).toContain("stopped, it may still do it when it goes on")
    attached.type("y")
    expect([yield* Effect.promise(() => attached.ended), sent()]).toEqual([0, 1])
  })

  liveTest("is not made again when its outcome is kept, and what came of its task is not", function* () {
    const { killSender, sent, start, untilSent, url } = yield* makeSender("", 2)
    const client = yield* withSql(url, (sql) =>
      Effect.gen(function* () {
        /* The result of the task is held back, as if the worker were slow to write it. */
        yield* sql.unsafe(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
          IF new.state = ''completed'' THEN PERFORM pg_sleep(600); RAISE EXCEPTION ''lost''; END IF; RETURN new; END'`)
        yield* sql`CREATE TRIGGER hold BEFORE UPDATE ON task_conductor_boss.job_common FOR EACH ROW EXECUTE FUNCTION hold()`
        const client = yield* start
        yield* untilSent(1)
        const isHeld = sql`SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`
        while ((yield* isHeld).length === 0) yield* Effect.sleep("50 millis")
        killSender()
        yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`
        yield* sql`DROP TRIGGER hold ON task_conductor_boss.job_common`
        return client
      })
    )
    expect([(yield* Effect.promise(() => client.ended)).code, sent()]).toEqual([0, 1])
  })
})

describe("a cluster run that ends", needsPostgres, () => {
  liveTest("asks nobody any more, and its stream of events ends only then", function* () {
    const { begin, ended, worker } = yield* makeCluster
    yield* worker((body) => writing(askedOf(body)))
    const left = yield* begin()
    const { code, stderr, stdout } = yield* Effect.promise(() => left.ended)
    expect([code, stdout.includes("run.finished")]).toEqual([4, false])
    const runId = runIdIn(stderr)
    yield* ended(["cancel", runId])
    const isRunning = Effect.map(ended(["runs", "--cluster"]), ({ stdout }) => stdout.includes("running"))
    while (yield* isRunning) yield* Effect.sleep("500 millis")
    const end = yield* ended(["attach", runId])
    expect([end.code, end.stderr.includes("waits for an answer")]).toEqual([130, false])
  })
})
