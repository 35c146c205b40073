import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { layerDatabase } from "../../../src/plugins/cluster/ClusterDatabase.ts"
import { ClusterWorkers } from "../../../src/plugins/cluster/ClusterWorkers.ts"
import { type Asked, askedOf, makeCluster, writing } from "../../support/Cluster.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"
import { needsTerminal } from "../../support/PseudoTerminal.ts"
import { freeSkill, planOf, refinementWith } from "../../support/TestRun.ts"
import { waitFor } from "../../support/waitFor.ts"

const runIdIn = (text: string): string => /\d{8}-\d{6}-[a-z0-9]{4}/.exec(text)?.[0] ?? ""

/** A worker of this version that is there, but does nothing. */
const addWorker = (url: string, version: string) =>
  ClusterWorkers.use(({ report }) =>
    report({ name: "elsewhere", version, begunAt: "2026-11-20T18:30:00.000Z", slots: 1, runs: 0, tasks: 0 })
  ).pipe(Effect.provide(Layer.provide(ClusterWorkers.layer, layerDatabase(Redacted.make(url)))))

describe("a client of cluster runs", needsPostgres, () => {
  liveTest(
    "leaves when nobody can answer, and another one answers on a terminal",
    () =>
      Effect.gen(function* () {
        const { sandbox, start, terminal, worker } = yield* makeCluster
        yield* worker((body) => writing(askedOf(body)))
        const first = yield* start(["run", "--cluster", "--model", fakeModel, "Do it."])
        const left = yield* Effect.promise(() => first.ended)
        const runId = runIdIn(left.stderr)
        expect(left.code).toBe(4)
        expect(left.stderr).toContain(
          `The run ${runId} waits for an answer about "Step 1", and nobody can be asked here. It continues when somebody answers. Answer from any machine: task-conductor attach ${runId}`
        )
        const listed = yield* start(["runs", "--cluster"])
        const list = yield* Effect.promise(() => listed.ended)
        expect(list.stdout).toMatch(new RegExp(`^${runId} .* running`))
        expect(list.stderr).toMatch(
          /^worker \S+ {2}\S+ {2}\d runs?, \d tasks?, \d+ model calls? at once {2}seen \d+ s ago$/m
        )
        // A worker says every two seconds what it does.
        const seen = yield* start(["doctor", "--cluster"]).pipe(
          Effect.flatMap((doctor) => Effect.promise(() => doctor.ended)),
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
        const shown = yield* start(["show", "--cluster", runId, "--task", "Write 1"])
        expect((yield* Effect.promise(() => shown.ended)).stdout).toContain("Result of Write 1.")
      }),
    needsTerminal
  )

  liveTest("answers without a terminal with --yes what nobody could answer before", () =>
    Effect.gen(function* () {
      const { sandbox, start, worker } = yield* makeCluster
      yield* worker((body) => writing(askedOf(body)))
      const first = yield* start(["run", "--cluster", "--model", fakeModel, "Do it."])
      expect((yield* Effect.promise(() => first.ended)).code).toBe(4)
      const attached = yield* start(["attach", "last", "--yes"])
      const { code, stdout } = yield* Effect.promise(() => attached.ended)
      expect([code, stdout.includes("All is done.")]).toEqual([0, true])
      expect(readFileSync(join(sandbox.root, "project/a.txt"), "utf8")).toBe("new\n")
    })
  )

  for (const [answer, what, code] of [
    ["y", "takes as done", 0],
    ["s", "ends the run at", 4]
  ] as const) {
    liveTest(
      `${what} a call that was begun by a worker that died`,
      () =>
        Effect.gen(function* () {
          const { sandbox, start, terminal, worker } = yield* makeCluster
          const argv = ["sh", "-c", "echo sent >> log.txt; sleep 600"]
          sandbox.write("project/.task-conductor/skills/free/SKILL.md", freeSkill)
          const sending = ({ stage, task }: Asked): string => {
            if (stage === "creation") return planOf([[{ name: "Send 1", skill: "free" }]])
            if (stage === "iteration" && answer === "s") return planOf([[{ name: "Send 1", skill: "free" }]])
            return stage === "refinement"
              ? refinementWith([{ name: "run_command", arguments: { argv } }])
              : writing({ stage, task })
          }
          const sent = () => {
            try {
              return readFileSync(join(sandbox.root, "project/log.txt"), "utf8")
            } catch {
              return ""
            }
          }
          const workers = [
            yield* worker((body) => sending(askedOf(body))),
            yield* worker((body) => sending(askedOf(body)))
          ]
          const client = yield* start(["run", "--cluster", "--yes-this-run", "--model", fakeModel, "Do it."])
          yield* waitFor("the command", () => sent() !== "")
          for (const { binary } of workers) {
            if (binary.stderr().includes(`works on "Send 1"`)) binary.child.kill("SIGKILL")
          }
          const left = yield* Effect.promise(() => client.ended)
          expect([left.code, left.stderr.includes('waits for an answer about "Send 1"')], left.stderr).toEqual([
            4,
            true
          ])
          const attached = terminal("attach last")
          yield* Effect.promise(() => attached.shows("Did it happen? "))
          expect(attached.screen()).toContain("did this happen?")
          attached.type(answer)
          expect(yield* Effect.promise(() => attached.ended)).toBe(code)
          expect(sent()).toBe("sent\n")
        }),
      needsTerminal
    )
  }

  liveTest("says that no worker is there, and that one came, once each", () =>
    Effect.gen(function* () {
      const { start, worker } = yield* makeCluster
      const first = yield* start(["run", "--cluster", "--yes-this-run", "--model", fakeModel, "Do it."])
      const missing = "No worker is at work; the run waits for one. Start one on any machine: task-conductor worker"
      yield* Effect.promise(() => first.says(missing))
      const attached = yield* start(["attach", "last"])
      yield* Effect.promise(() => attached.says(missing))
      const { binary, server } = yield* worker((body) => ({ text: writing(askedOf(body)), hold: "told" }))
      for (const client of [first, attached]) yield* Effect.promise(() => client.says(" is there now."))
      yield* server.release("told")
      for (const client of [first, attached]) {
        const { code, stderr } = yield* Effect.promise(() => client.ended)
        expect([code, stderr.split("No worker").length, stderr.split(" is there now.").length], stderr).toEqual([
          0, 2, 2
        ])
        expect(stderr).toMatch(new RegExp(`^The worker \\S+-${binary.child.pid}-\\w+ is there now.$`, "m"))
      }
      const again = yield* start(["attach", "last"])
      expect((yield* Effect.promise(() => again.ended)).stderr).not.toContain("No worker")
    })
  )

  liveTest("is refused when another run changes the project, and ends that one", () =>
    Effect.gen(function* () {
      const { start, worker } = yield* makeCluster
      const { server } = yield* worker((body) => ({ text: writing(askedOf(body)), hold: "never" }))
      const first = yield* start(["run", "--cluster", "--model", fakeModel, "Do it."])
      yield* server.until(({ chats }) => chats.length > 0)
      const second = yield* start(["run", "--cluster", "--model", fakeModel, "Do it."])
      const refused = yield* Effect.promise(() => second.ended)
      const runId = runIdIn(refused.stderr)
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain(`end it with "task-conductor cancel ${runId}"`)
      const local = yield* start(["run", "--model", "embedded", "Do it."])
      /* A run that changes nothing needs no lock. */
      expect(yield* Effect.promise(() => local.ended)).toMatchObject({ code: 0 })
      const cancel = yield* start(["cancel", runId])
      expect((yield* Effect.promise(() => cancel.ended)).code).toBe(0)
      const ended = yield* Effect.promise(() => first.ended)
      expect([ended.code, ended.stderr.includes("interrupted")]).toEqual([130, true])
      yield* server.until(({ abortedCount }) => abortedCount() === 1)
      const again = yield* start(["cancel", runId])
      expect(yield* Effect.promise(() => again.ended)).toMatchObject({
        code: 1,
        stderr: `The run ${runId} had already ended.\n`
      })
    })
  )

  liveTest("says what is wrong with the database, and never its password", () =>
    Effect.gen(function* () {
      const { sandbox, start, url } = yield* makeCluster
      const unset = yield* start(["runs", "--cluster"], { TASK_CONDUCTOR_DATABASE: "" })
      expect(yield* Effect.promise(() => unset.ended)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("TASK_CONDUCTOR_DATABASE is not set")
      })
      for (const url of ["postgres://me:s3cret@127.0.0.1:1/name", "no address s3cret"]) {
        const wrong = yield* start(["worker"], { TASK_CONDUCTOR_DATABASE: url })
        const { code, stderr } = yield* Effect.promise(() => wrong.ended)
        expect([code, stderr.split("\n").length]).toEqual([1, 2])
        expect(stderr).toContain("The database that TASK_CONDUCTOR_DATABASE names cannot be used: ")
        expect(stderr).not.toContain("s3cret")
        const doctor = yield* start(["doctor", "--cluster"], { TASK_CONDUCTOR_DATABASE: url })
        const seen = yield* Effect.promise(() => doctor.ended)
        expect([seen.code, seen.stderr]).toEqual([1, ""])
        expect(seen.stdout).toMatch(
          /^ {2}problem +database +The database that TASK_CONDUCTOR_DATABASE names cannot be /m
        )
        expect(seen.stdout).not.toContain("s3cret")
      }
      const idle = yield* start(["doctor", "--cluster", "--json"])
      const { can_start, findings } = JSON.parse((yield* Effect.promise(() => idle.ended)).stdout)
      expect([can_start, findings.at(-2)]).toEqual([
        false,
        {
          name: "worker",
          state: "problem",
          what: "none is alive",
          remedy: "Start one on a machine with a model server: task-conductor worker."
        }
      ])

      /* The worker of another build is alive, but takes no run of this one. */
      yield* addWorker(url, "0.0.9")
      const other = yield* Effect.promise(() =>
        sandbox.run(["doctor", "--cluster"], { env: { TASK_CONDUCTOR_DATABASE: url } })
      )
      expect(other.code).toBe(1)
      expect(other.stdout).toMatch(/^ {2}note +worker +elsewhere, version \S+: .* ago$/m)
      expect(other.stdout).toMatch(
        /^ {2}problem +workers +none has version \S+, so that a run that is started here waits$/m
      )
      const run = yield* start(["run", "--cluster", "--model", fakeModel, "Do it."])
      yield* Effect.promise(() => run.says("No worker has version "))
    })
  )
})
