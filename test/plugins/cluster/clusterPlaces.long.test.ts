import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { askedOf, makeCluster, writing } from "../../support/Cluster.ts"
import type { ChatBody } from "../../support/FakeOllamaScript.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"
import { planOf } from "../../support/TestRun.ts"
import { waitFor } from "../../support/waitFor.ts"

/** So many places that their parts are more than a worker with one slot takes at once. */
const count = 240
/** Lines between them, so that no part changes what is beside the lines of another one. */
const textWith = (word: string) =>
  Array.from({ length: count }, (_, at) => `line ${at + 1} is ${word}\n\nas it was\n\n`).join("")

/** A run whose only task answers all places of a file by number, on two workers that both hold their first answers back. */
const makeRun = Effect.gen(function* () {
  const cluster = yield* makeCluster
  cluster.sandbox.write("project/src/a.txt", textWith("open"))
  /** By the numbers that a prompt shows: which workers were asked. */
  const asked = new Map<string, Array<number>>()
  const script = (at: number) => (body: ChatBody) => {
    const { stage, task } = askedOf(body)
    const each = "line in `src/*.txt` that contains `is open`"
    if (stage === "creation") return planOf([[{ name: "Close", skill: "edit-files", each }]])
    if (stage !== "places") return writing({ stage, task })
    const shown = [...(body.messages[1]?.content ?? "").matchAll(/^\[(\d+)\] \d+: (.*)$/gm)]
    const numbers = shown.map(([, number]) => number).join()
    asked.set(numbers, [...(asked.get(numbers) ?? []), at])
    const text = shown.map(([, number, line = ""]) => `${number} change: ${line.replace("open", "closed")}`).join("\n")
    return { text, hold: "all" }
  }
  const flags = ["--parallel", "1"]
  const workers = [yield* cluster.worker(script(0), flags), yield* cluster.worker(script(1), flags)]
  const client = yield* cluster.begin(["--yes-this-run"])
  const workersAsked = () => new Set([...asked.values()].flat())
  yield* waitFor(
    "both workers",
    () => workersAsked().size === 2,
    () => `${workers.map(({ binary }) => binary.stderr()).join()} ${client.stderr()}`
  )
  const text = () => readFileSync(join(cluster.sandbox.root, "project/src/a.txt"), "utf8")
  return { asked, client, text, workers }
})

interface TaskItem {
  readonly event?: { readonly type: string; readonly number?: number; readonly state?: string }
}

const itemsIn = (stdout: string) =>
  stdout
    .split("\n")
    .flatMap((line) => (line.includes('"task.item"') ? [JSON.parse(line) as TaskItem & TaskItem["event"]] : []))
    .map((line) => line.event ?? line)

describe("a task over many lines on two workers", needsPostgres, () => {
  liveTest("gives parts of its places to both, and applies each answer once", function* () {
    const { asked, client, text, workers } = yield* makeRun
    for (const { server } of workers) yield* server.release("all")
    const { code, stderr, stdout } = yield* Effect.promise(() => client.ended)
    expect(code, stderr).toBe(0)
    expect(text()).toBe(textWith("closed"))
    /* No part was answered twice, and each place has one end. */
    expect([...asked.values()].every(({ length }) => length === 1)).toBe(true)
    expect([...asked.keys()].flatMap((numbers) => numbers.split(",")).length).toBe(count)
    const numbers = itemsIn(stdout).map((item) => item.number)
    expect(numbers.toSorted((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: count }, (_, at) => at + 1))
  })
})
