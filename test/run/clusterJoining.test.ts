import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { askedOf, makeCluster, writing } from "../support/Cluster.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import type { ChatBody } from "../support/FakeOllamaScript.ts"
import { liveTest } from "../support/liveTest.ts"
import { needsPostgres } from "../support/Postgres.ts"
import { freeSkill, planOf, refinementWith } from "../support/TestRun.ts"
import { waitFor } from "../support/waitFor.ts"

const names = Array.from({ length: 6 }, (_, index) => `Send ${index + 1}`)

/** Each task begins a command that ends when there is a file `go`. */
const script = (body: ChatBody): string => {
  const { stage, task } = askedOf(body)
  if (stage === "creation") return planOf([names.map((name) => ({ name, skill: "free" }))])
  if (stage !== "refinement") return writing({ stage, task })
  const command = `echo begins >> log.txt; while [ ! -e go ]; do sleep 0.1; done; echo ends >> log.txt`
  return refinementWith([{ name: "run_command", arguments: { argv: ["sh", "-c", command] } }])
}

describe("a worker that joins", { timeout: 120_000, ...needsPostgres }, () => {
  liveTest("says that calls of others can be broken off, and none is made again without a question", () =>
    Effect.gen(function* () {
      const { sandbox, start, worker } = yield* makeCluster
      sandbox.write("project/.task-conductor/skills/free/SKILL.md", freeSkill)
      const log = join(sandbox.root, "project/log.txt")
      const lines = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [])
      const first = yield* worker(script)
      const client = yield* start(["run", "--cluster", "--yes-this-run", "--model", fakeModel, "Do it."])
      yield* waitFor("all commands", () => lines().length === names.length)
      yield* Effect.sleep("2500 millis")
      const { binary } = yield* worker(script)
      sandbox.write("project/go", "")
      const { code, stderr } = yield* Effect.promise(() => client.ended)
      /* What was broken off waits for an answer, and nobody can be asked here. */
      expect([0, 4], stderr).toContain(code)
      expect(lines().filter((line) => line === "begins")).toEqual(names.map(() => "begins"))
      const warning = "a call that changes something can be broken off"
      expect([first.binary.stderr().includes(warning), binary.stderr().includes(warning)]).toEqual([false, true])
    })
  )
})
