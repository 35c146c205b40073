import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { attach, cancel, RunRefused, RunWaits, run, work } from "../../../src/plugins/cluster/scripts.ts"
import { askedOf, makeCluster, writing } from "../../support/Cluster.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"

/** What a promise is rejected with. */
const rejection = (promise: Promise<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() =>
    promise.then(
      () => undefined,
      (error: unknown) => error
    )
  )

describe("task-conductor-cluster", needsPostgres, () => {
  liveTest("begins, answers and ends runs from scripts, on a worker of a script", function* () {
    const { sandbox, url: database } = yield* makeCluster
    process.env["XDG_CONFIG_HOME"] = `${sandbox.root}/config`
    process.env["XDG_STATE_HOME"] = `${sandbox.root}/state`
    const project = `${sandbox.root}/project`
    const server = yield* FakeOllama.make((body) => writing(askedOf(body)))
    const reported: Array<string> = []
    const stop = new AbortController()
    const working = work({ database, host: server.url, signal: stop.signal, tell: (what) => void reported.push(what) })
    const options = { prompt: "Do it.", project, model: fakeModel, database }

    const asked: Array<string> = []
    const unanswered = run(options)
    const waits = yield* rejection(unanswered.report)
    expect(waits).toBeInstanceOf(RunWaits)
    const answered = attach(unanswered.runId, {
      database,
      approve: ({ items, scope }) => {
        asked.push(`${scope} ${items.map(({ tool }) => tool).join()}`)
        return true
      }
    })
    const report = yield* Effect.promise(() => answered.report)
    expect([report.status, report.answer, asked]).toEqual(["done", "All is done.", ["step write_file"]])
    expect(readFileSync(`${project}/a.txt`, "utf8")).toBe("new\n")
    expect(yield* Effect.promise(() => cancel(answered.runId, { database }))).toBe(false)

    const refused = run({ ...options, skill: "sumarize" })
    const why = yield* rejection(refused.report)
    expect(why).toBeInstanceOf(RunRefused)
    expect(String(why)).toContain('There is no skill "sumarize"')

    stop.abort()
    yield* Effect.promise(() => working)
    expect(reported).toContain(`${answered.runId}: done`)
  })
})
