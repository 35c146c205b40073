import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import type { Ended } from "../../support/binary.ts"
import { type Asked, askedOf, makeCluster } from "../../support/Cluster.ts"
import { withSql } from "../../support/LeasedRun.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"
import { answerIn, planOf, resultSaying } from "../../support/TestRun.ts"

const names = Array.from({ length: 20 }, (_, index) => `Look ${index + 1}`)
const plan = planOf([names.map((name) => ({ name }))])

/** A model that does the plan as it stands and says who answered. */
const obedient = ({ stage, task }: Asked, by: string): string =>
  answerIn(stage, { creation: plan, execution: resultSaying(`${task} by ${by}.`) })

type Line = RunEvent & { readonly at: string }

const eventsOf = ({ stdout }: Ended): ReadonlyArray<Line> =>
  stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]))

const reportOf = (ended: Ended) => {
  const last = eventsOf(ended).at(-1)
  if (last?.type !== "run.finished") throw new Error(`the run did not end: ${ended.stderr}`)
  return last.report
}

const tasksOf = (ended: Ended): ReadonlyArray<string> =>
  reportOf(ended)
    .results.map(({ task }) => task.name)
    .toSorted()

const sayings = (ended: Ended): ReadonlyArray<string> => reportOf(ended).results.map(({ result }) => result.summary)

describe("workers on one database", needsPostgres, () => {
  liveTest("share the tasks of a run, each with its own model server", function* () {
    const { begin, ended: endOf, url, worker } = yield* makeCluster
    yield* worker((body) => obedient(askedOf(body), "a"))
    yield* worker((body) => obedient(askedOf(body), "b"))
    const { ended } = yield* begin()
    const end = yield* Effect.promise(() => ended)
    expect([end.code, reportOf(end).status, reportOf(end).answer]).toEqual([0, "done", "All is done."])
    expect(tasksOf(end)).toEqual(names.toSorted())
    expect(new Set(sayings(end).map((text) => text.split(" by ")[1]))).toEqual(new Set(["a.", "b."]))
    expect(reportOf(end).usage).toMatchObject({ model_calls: 43, tool_calls: 20 })
    /* Nothing is left of it when it is removed. */
    yield* endOf(["runs", "prune", "--cluster", "--older-than", "0"])
    const left = yield* withSql(
      url,
      (sql) => sql`SELECT singleton_key FROM task_conductor_boss.job UNION SELECT run_id FROM task_conductor_records`
    )
    expect(left).toEqual([])
  })

  for (const [victim, signal] of [
    ["the run", "SIGKILL"],
    ["tasks of it only", "SIGKILL"],
    ["the run", "SIGTERM"]
  ] as const) {
    liveTest(`finish a run when the one that has ${victim} gets ${signal} in the middle of 20 tasks`, function* () {
      const { begin, worker } = yield* makeCluster
      const executed = new Map<string, number>()
      /** Answers two executions of each server, and holds the others until one worker is gone. */
      const script = (by: string) => {
        let answered = 0
        return (body: Parameters<typeof askedOf>[0]) => {
          const asked = askedOf(body)
          const text = obedient(asked, by)
          if (asked.stage !== "execution") return text
          executed.set(asked.task, (executed.get(asked.task) ?? 0) + 1)
          answered += 1
          return answered <= 2 ? text : { text, hold: "gone" }
        }
      }
      const workers = [yield* worker(script("a")), yield* worker(script("b"))]
      const { ended } = yield* begin()
      const isHeld = (at: number) =>
        workers[at]!.server.until(({ chats }) => chats.filter((body) => askedOf(body).stage === "execution").length > 2)
      yield* Effect.all([isHeld(0), isHeld(1)], { concurrency: 2 })
      const hasRun = workers.findIndex(({ binary }) => binary.stderr().includes(": begins here"))
      const gone = victim === "the run" ? hasRun : 1 - hasRun
      const finishedBefore = [...executed.keys()]
      workers[gone]!.binary.child.kill(signal)
      yield* workers[1 - gone]!.server.release("gone")
      const end = yield* Effect.promise(() => ended)
      expect([end.code, reportOf(end).status]).toEqual([0, "done"])
      expect(tasksOf(end)).toEqual(names.toSorted())
      expect(finishedBefore.length).toBeLessThan(20)
      const told = eventsOf(end).flatMap((event) => (event.type === "task.finished" ? [event.task] : []))
      expect(new Set(told).size).toBe(told.length)
      const kept = eventsOf(end).flatMap((event) => (event.type === "task.kept" ? [event.task] : []))
      expect(new Set([...told, ...kept])).toEqual(new Set(names))
      /* What was in flight is asked once more; what had been answered is not. */
      const twice = [...executed].filter(([, times]) => times > 1)
      expect(twice.length).toBeLessThanOrEqual(4)
      expect(Math.max(...executed.values())).toBeLessThanOrEqual(2)
    })
  }
})
