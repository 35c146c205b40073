import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { askedOf, makeCluster, writing } from "../../support/Cluster.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import type { ChatBody } from "../../support/FakeOllamaScript.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"
import { freeSkill, planOf, refinementWith } from "../../support/TestRun.ts"
import { waitFor } from "../../support/waitFor.ts"

const named = (word: string, count: number) => Array.from({ length: count }, (_, index) => `${word} ${index + 1}`)
const sending = named("Send", 6)
const looking = named("Look", 24)
/** So many calls of the model does the first worker make at a time. */
const slots = 5

const clockSkill = freeSkill
  .replace("name: free", `name: clock\nallowed-tools: get_current_time`)
  .replace("any tool", "the time")

/** A run of commands, and one of more tasks than the first worker has slots for, which begins when all commands are at work. */
const plans: Readonly<Record<string, string>> = {
  "Send it.": planOf([sending.map((name) => ({ name, skill: "free" }))]),
  "Look at it.": planOf([looking.map((name) => ({ name, skill: "clock" }))])
}

/** Begins, and ends when there is a file `go`. */
const command = `echo begins >> log.txt; while [ ! -e go ]; do sleep 0.1; done; echo ends >> log.txt`
const send = refinementWith([{ name: "run_command", arguments: { argv: ["sh", "-c", command] } }])
const look = refinementWith([{ name: "get_current_time", arguments: {} }])

describe("a worker that joins", needsPostgres, () => {
  liveTest("breaks off no command and no model call, and takes what is free", function* () {
    const { sandbox, start, worker } = yield* makeCluster
    sandbox.write("project/.task-conductor/skills/free/SKILL.md", freeSkill)
    sandbox.write("project/.task-conductor/skills/clock/SKILL.md", clockSkill)
    const log = join(sandbox.root, "project/log.txt")
    const lines = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [])
    const asked = new Map<string, number>()
    /** Looks of the first worker are held, so that others wait for a slot there. */
    const script = (isFirst: boolean) => (body: ChatBody) => {
      const { stage, task } = askedOf(body)
      asked.set(`${stage} ${task}`, (asked.get(`${stage} ${task}`) ?? 0) + 1)
      if (stage === "creation") {
        const prompt = Object.keys(plans).find((one) => body.messages.some(({ content }) => content.includes(one)))
        return plans[prompt ?? ""] ?? ""
      }
      if (stage !== "refinement") return writing({ stage, task })
      if (sending.includes(task)) return send
      return isFirst ? { text: look, hold: "joined" } : look
    }
    const first = yield* worker(script(true), ["--parallel", `${slots}`])
    const begin = (...words: ReadonlyArray<string>) =>
      start(["run", "--cluster", "--yes-this-run", "--model", fakeModel, ...words])
    const clients = [yield* begin("Send it.")]
    yield* waitFor("all commands", () => lines().length === sending.length)
    clients.push(yield* begin("--read-only", "Look at it."))
    yield* first.server.until(() => looking.filter((name) => asked.has(`refinement ${name}`)).length === slots)
    const second = yield* worker(script(false))
    /* What the first worker has no slot for is taken by the second one. */
    yield* waitFor("a task of the second worker", () => second.binary.stderr().includes(": works on"))
    sandbox.write("project/go", "")
    yield* first.server.release("joined")
    const ends = yield* Effect.forEach(clients, ({ ended }) => Effect.promise(() => ended))
    const said = ends.map(({ stderr }) => stderr).join("\n")
    expect([...ends.map(({ code }) => code), first.server.abortedCount()], said).toEqual([0, 0, 0])
    expect(lines().toSorted()).toEqual([...sending.map(() => "begins"), ...sending.map(() => "ends")])
    /* A stage without a task is asked once in each run. */
    const again = [...asked].filter(([key, times]) => times > (key.endsWith(" ") ? clients.length : 1))
    expect(again).toEqual([])
  })
})
