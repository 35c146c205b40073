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

const named = (word: string, count: number) => Array.from({ length: count }, (_, index) => `${word} ${index + 1}`)
const sending = named("Send", 6)
const looking = named("Look", 12)

/** Its tasks look at nothing that another task could change, so that they are refined at once. */
const clockSkill = freeSkill
  .replace("name: free", `name: clock\nallowed-tools: get_current_time\nmetadata:\n  task-conductor.passes: "1"`)
  .replace("any tool", "the time")

/** Begins, and ends when there is a file `go`. */
const command = `echo begins >> log.txt; while [ ! -e go ]; do sleep 0.1; done; echo ends >> log.txt`

describe("a worker that joins", { timeout: 120_000, ...needsPostgres }, () => {
  liveTest("breaks off no command and no model call, and gets its share as they end", () =>
    Effect.gen(function* () {
      const { sandbox, start, worker } = yield* makeCluster
      sandbox.write("project/.task-conductor/skills/free/SKILL.md", freeSkill)
      sandbox.write("project/.task-conductor/skills/clock/SKILL.md", clockSkill)
      const log = join(sandbox.root, "project/log.txt")
      const lines = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [])
      const asked = new Map<string, number>()
      /** Once all commands were written, calls of the first worker are held, so that others wait for a slot there. */
      const script = (isFirst: boolean) => (body: ChatBody) => {
        const { stage, task } = askedOf(body)
        asked.set(`${stage} ${task}`, (asked.get(`${stage} ${task}`) ?? 0) + 1)
        if (stage === "creation") {
          const steps = [sending.map((name) => ({ name, skill: "free" })), looking.map((name) => ({ name, skill: "clock" }))]
          return planOf(steps)
        }
        if (stage !== "refinement") return writing({ stage, task })
        if (sending.includes(task))
          return refinementWith([{ name: "run_command", arguments: { argv: ["sh", "-c", command] } }])
        const text = refinementWith([{ name: "get_current_time", arguments: {} }])
        return isFirst && sending.every((name) => asked.has(`refinement ${name}`)) ? { text, hold: "joined" } : text
      }
      const first = yield* worker(script(true))
      const client = yield* start(["run", "--cluster", "--yes-this-run", "--model", fakeModel, "Do it."])
      yield* waitFor("all commands", () => lines().length === sending.length)
      const second = yield* worker(script(false))
      /* What waited for a slot has moved by now, and so would have what was under way. */
      yield* waitFor("a task that moved", () => second.binary.stderr().includes(": refines"))
      sandbox.write("project/go", "")
      yield* first.server.release("joined")
      const { code, stderr } = yield* Effect.promise(() => client.ended)
      expect([code, first.server.abortedCount()], stderr).toEqual([0, 0])
      expect(lines().toSorted()).toEqual([...sending.map(() => "begins"), ...sending.map(() => "ends")])
      expect([...asked].filter(([, times]) => times > 1)).toEqual([])
      const word = "A part of their work moves here"
      expect([first.binary.stderr().includes(word), second.binary.stderr().includes(word)]).toEqual([false, true])
    })
  )
})
