import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { crc32 } from "node:zlib"
import { progressOf as progress, readJournalSummary } from "../../../src/services/history/RunStore.ts"
import { ended, journalBytes, journalLines, openedRecord, settled } from "../../support/Journals.ts"
import { makeFolder } from "../../support/Project.ts"
import { finished as resultOf } from "../../support/sampleTasks.ts"
import type { JournalRecord } from "../../../src/domain/journal/JournalRecord.ts"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const finished = (answer = "Yes.") => ended("done", answer)

const peek = Effect.fnUntraced(function* (...parts: ReadonlyArray<string | Uint8Array>) {
  const file = `${yield* makeFolder}/journal.jsonl`
  writeFileSync(file, Buffer.concat(parts.map((part) => Buffer.from(part))))
  return yield* readJournalSummary(file)
})

const statusOf = (...parts: ReadonlyArray<string | Uint8Array>) => Effect.map(peek(...parts), (found) => found?.status)

describe("a look at a journal", () => {
  const sizes = [10, 65_000, 65_300, 65_536, 70_000, 131_072, 300_000]
  nodeTest("finds the end behind and within long lines, and passes over torn bytes", function* () {
    for (const size of sizes) {
      const long = "x".repeat(size)
      const opened = { ...openedRecord(), order: { runId: "a", prompt: long } }
      const whole = journalBytes([openedRecord(), settled("a"), finished()])
      const [, torn = ""] = journalLines([openedRecord(), finished(long)])
      const found = [
        yield* statusOf(journalBytes([opened, settled("a", long), finished(long)])),
        yield* statusOf(journalBytes([opened, finished(long)])),
        yield* statusOf(whole, long),
        yield* statusOf(journalBytes([opened, finished(), settled("a", long)])),
        yield* statusOf(journalBytes([opened])),
        yield* statusOf(journalBytes([openedRecord()]), torn)
      ]
      expect(found, `${size}`).toEqual(["done", "done", "done", undefined, undefined, undefined])
    }
  })

  nodeTest("gives nothing for what does not begin as a journal of this version", function* () {
    const whole = journalBytes([openedRecord(), finished()])
    const strange = journalLines([openedRecord()])[0]!.replace('"parallel":2', '"parallel":9')
    expect([
      yield* peek(""),
      yield* peek("hello\n"),
      yield* peek(whole.subarray(0, 50)),
      yield* peek("\uFEFF", whole),
      yield* peek(`${strange}\n`),
      yield* peek(journalBytes([settled("a")])),
      yield* peek(journalBytes([{ ...openedRecord(), version: 2 }]))
    ]).toEqual([undefined, undefined, undefined, undefined, undefined, undefined, undefined])
    expect(yield* readJournalSummary(yield* makeFolder)).toBe(undefined)
  })

  nodeTest("gives nothing for settings that this program does not know", function* () {
    const [line = ""] = journalLines([{ ...openedRecord(), settings: { think: "high" } }])
    const body = line.slice(0, -18).replace('"high"', '"more"')
    const sum = crc32(`00000000${body}`).toString(16).padStart(8, "0")
    expect(yield* peek(`${body},"sum":"${sum}"}\n`)).toBe(undefined)
  })
})

const at = "2026-11-20T18:30:00.000Z"
const event = (told: Extract<JournalRecord, { readonly type: "event" }>["event"]): JournalRecord => ({
  type: "event",
  event: told
})
const listOf = (...names: ReadonlyArray<string>) => {
  const [first, ...rest] = names.map((name) => plainTask(name, "any", "Look.", "A word."))
  const steps = first === undefined ? [] : [new Step({ title: "Task section 1", tasks: [first, ...rest] })]
  return new TaskList({ goals: "", steps })
}
const planned = (...names: ReadonlyArray<string>) =>
  event({ type: "plan.created", attempts: 1, taskList: listOf(...names), markdown: "" })
const revised = (...names: ReadonlyArray<string>) =>
  event({ type: "plan.revised", round: 2, attempts: 1, taskList: listOf(...names) })
const finishedTask = (task: string) =>
  event({ type: "task.finished", round: 1, step: 0, task, result: resultOf(task, "It is there.") })
const kept = (task: string) => event({ type: "task.kept", round: 1, step: 0, task })
const endedAfter = (status: "done" | "limit", durationMs: number): JournalRecord => {
  const record = ended(status)
  if (record.type !== "event" || record.event.type !== "run.finished") return record
  const { report } = record.event
  return { ...record, event: { ...record.event, report: { ...report, usage: { ...report.usage, durationMs } } } }
}

const progressOf = (...records: ReadonlyArray<JournalRecord>) => progress(journalLines([openedRecord(), ...records]))

describe("the progress in a journal", () => {
  it.each<[string, ReadonlyArray<JournalRecord>, { readonly done: number; readonly total: number } | undefined]>([
    ["no plan", [settled("briefing")], undefined],
    ["a plan", [planned("A 1", "B 1")], { done: 0, total: 2 }],
    ["a result", [planned("A 1", "B 1"), finishedTask("A 1")], { done: 1, total: 2 }],
    ["a name with quotes", [planned('The "A"', "B 1"), finishedTask('The "A"')], { done: 1, total: 2 }],
    ["the same result in two sessions", [planned("A 1"), finishedTask("A 1"), kept("A 1")], { done: 1, total: 1 }],
    [
      "a task that a later plan dropped",
      [planned("A 1", "B 1"), finishedTask("A 1"), revised("C 1")],
      { done: 1, total: 2 }
    ],
    ["nothing left", [planned("A 1", "B 1"), finishedTask("A 1"), revised()], { done: 1, total: 1 }]
  ])("counts tasks: %s", (_, records, tasks) => {
    expect(progressOf(...records)).toEqual({ lastAt: at, ...(tasks === undefined ? {} : { tasks }) })
  })

  it("adds up the sessions, and has the exit code of the last", () => {
    expect(progressOf(endedAfter("limit", 1500), endedAfter("done", 250.5))).toEqual({
      lastAt: at,
      status: "done",
      durationMs: 1750.5,
      exitCode: 0
    })
  })

  it("has no exit code when the last session has no end", () => {
    const started = event({ type: "run.started", version: 1, runId: "a", project: "/p", model: "m", prompt: "Do it." })
    expect(progressOf(endedAfter("limit", 1500), { type: "resumed", program: "0.1.0" }, started)).toEqual({
      lastAt: at,
      durationMs: 1500
    })
  })

  it("knows where the project was moved", () => {
    expect(progressOf({ type: "resumed", program: "0.1.0", project: "/new" })).toMatchObject({ project: "/new" })
  })

  it("sees nothing that only stands in a text", () => {
    const text = Buffer.from(
      journalBytes([openedRecord(), planned("A 1"), finishedTask("A 1"), ended("done")])
    ).toString()
    expect(progressOf(settled("a", text))).toEqual({ lastAt: at })
  })

  it("passes over what is damaged", () => {
    const lines = journalLines([openedRecord(), planned("A 1")])
    const [, other = ""] = journalLines([openedRecord(), planned("A 1", "B 1")])
    const isRead = { lastAt: at, tasks: { done: 0, total: 1 } }
    expect(progress([...lines, other.slice(0, -40), other.slice(40), ""])).toEqual(isRead)
    expect(progress([])).toEqual({ lastAt: "" })
  })
})
