import { describe, expect, it } from "vitest"
import type { JournalRecord } from "../../../src/domain/history/JournalRecord.ts"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"
import { journalProgress } from "../../../src/services/history/JournalProgress.ts"
import { ended, journalBytes, openedRecord, settled } from "../../support/Journals.ts"
import { finished } from "../../support/sampleTasks.ts"

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
  event({ type: "task.finished", round: 1, step: 0, task, result: finished(task, "It is there.") })
const kept = (task: string) => event({ type: "task.kept", round: 1, step: 0, task })
const endedAfter = (status: "done" | "limit", durationMs: number): JournalRecord => {
  const record = ended(status)
  if (record.type !== "event" || record.event.type !== "run.finished") return record
  const { report } = record.event
  return { ...record, event: { ...record.event, report: { ...report, usage: { ...report.usage, durationMs } } } }
}

const progressOf = (...records: ReadonlyArray<JournalRecord>) =>
  journalProgress(Buffer.from(journalBytes([openedRecord(), ...records])))

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

  it("passes over what is torn or damaged", () => {
    const whole = Buffer.from(journalBytes([openedRecord(), planned("A 1")]))
    const torn = Buffer.from(journalBytes([openedRecord(), planned("A 1", "B 1")]))
    const begun = torn.subarray(torn.indexOf(0x0a) + 1, -40)
    expect(journalProgress(Buffer.concat([whole, begun]))).toEqual({ lastAt: at, tasks: { done: 0, total: 1 } })
    expect(journalProgress(Buffer.alloc(0))).toEqual({})
  })
})
