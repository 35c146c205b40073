import { describe, expect, it } from "vitest"
import { criticalPath, type ReportSpan, spansOf, workTimeOf } from "../../../src/plugins/report/RunSpans.ts"
import type { TimedRecord } from "../../../src/domain/journal/JournalRecord.ts"
import { runOf } from "../../../src/domain/history/RunEvidence.ts"
import { planRounds } from "../../../src/plugins/report/ReportData.ts"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { finished } from "../../support/sampleTasks.ts"

const start = 1_000_000
const told = (at: number, event: RunEvent): TimedRecord => ({ at: start + at, record: { type: "event", event } })
const resumed = (at: number): TimedRecord => ({ at: start + at, record: { type: "resumed", program: "0.1.0" } })
const call = (task: string, attempt = 1) => ({ stage: "task" as const, round: 1, task, attempt })
const sent = (at: number, task: string, attempt = 1) =>
  told(at, { type: "model.started", call: call(task, attempt), estimatedTokens: 1 })
const answered = (at: number, task: string, attempt = 1, durationMs = 1000) =>
  told(at, { type: "model.finished", call: call(task, attempt), usage: { durationMs } })
const failed = (at: number, task: string) =>
  told(at, { type: "model.failed", call: call(task), reason: "Busy", message: "busy", willRetry: true })

const spans = (...records: ReadonlyArray<TimedRecord>) =>
  spansOf(
    [told(0, { type: "round.started", round: 1 }), ...records],
    workTimeOf([{ at: start, record: records[0]!.record }, ...records])
  )
const brief = (all: ReadonlyArray<ReportSpan>) =>
  all.map(({ endMs, isOk, kind, lane, startMs, task }) => `${kind} ${task} ${startMs}-${endMs} ${lane} ${isOk}`)

describe("the spans of a run", () => {
  it("have lanes of their own when they go on at the same time", () => {
    const begun = [sent(10, "A"), sent(20, "B"), answered(30, "A"), sent(30, "C")]
    const found = spans(...begun, answered(40, "B"), answered(50, "C"))
    expect(brief(found)).toEqual([
      "task A 10-30 0 false",
      "task B 20-40 1 false",
      "task C 30-50 0 false",
      "model A 10-30 0 true",
      "model B 20-40 1 true",
      "model C 30-50 0 true"
    ])
  })

  it("end when their call fails, is sent again, or the run breaks off", () => {
    const ofFirst = [sent(0, "A"), failed(5, "A"), sent(8, "A"), answered(9, "A")]
    const found = spans(...ofFirst, sent(10, "B"), resumed(1000), sent(1010, "B"), answered(1020, "B"))
    expect(brief(found.filter(({ kind }) => kind === "model"))).toEqual([
      "model A 0-5 0 false",
      "model A 8-9 0 true",
      "model B 10-10 0 false",
      "model B 20-30 0 true"
    ])
  })

  it("end when the answer is there, not when it is saved, and begin after a wait for the server", () => {
    const ofSecond = [sent(50, "B"), failed(60, "B"), answered(100, "B", 1, 30)]
    const found = spans(sent(10, "A"), answered(40, "A", 1, 20), ...ofSecond)
    expect(brief(found.filter(({ kind }) => kind === "model"))).toEqual([
      "model A 10-30 0 true",
      "model B 50-60 0 false",
      "model B 70-100 0 true"
    ])
  })

  it("have a task that finished", () => {
    const end = told(12, { type: "task.finished", round: 1, step: 0, task: "A", result: finished("A", "Yes.") })
    expect(brief(spans(sent(0, "A"), answered(10, "A"), end))[0]).toBe("task A 0-10 0 true")
  })
})

const span = (name: string, startMs: number, endMs: number): ReportSpan => ({
  kind: "model",
  name,
  startMs,
  endMs,
  lane: 0,
  isOk: true
})
const namesOf = (...all: ReadonlyArray<ReportSpan>) => criticalPath(all).spans.map(({ name }) => name)

const listOf = (...names: ReadonlyArray<readonly [name: string, needed: string]>) => {
  const [first, ...rest] = names.map(([name, needed]) => plainTask(name, "any", needed, "A word."))
  return new TaskList({
    goals: "",
    steps: first === undefined ? [] : [new Step({ title: "One", tasks: [first, ...rest] })]
  })
}

describe("the critical path", () => {
  it("goes back from what ended last to what it had waited for", () => {
    const all = [span("plan", 0, 10), span("short", 10, 15), span("long", 10, 40), span("end", 42, 50)]
    expect(namesOf(...all)).toEqual(["plan", "long", "end"])
    expect(criticalPath(all).betweenMs).toBe(2)
  })

  it("ends with spans that take no time", () => {
    expect(namesOf(span("a", 5, 5), span("b", 5, 5), span("c", 5, 9))).toEqual(["c"])
    expect(namesOf()).toEqual([])
  })

  it("holds no task, which is made of calls", () => {
    expect(namesOf(span("a", 0, 5), { ...span("task", 0, 9), kind: "task" })).toEqual(["a"])
  })
})

const roundsOf = (...all: ReadonlyArray<TimedRecord>) => planRounds(runOf(all.map(({ record }) => record)))

describe("the plans of a run", () => {
  const created = { type: "plan.created", attempts: 1, markdown: "" } as const
  const plan = told(0, { ...created, taskList: listOf(["A", "a"], ["B", "b"], ["C", "c"], ["D", "d"]) })
  const finish = (at: number, task: string) =>
    told(at, { type: "task.finished", round: 1, step: 0, task, result: finished(task, "Yes.") })
  const revised = { type: "plan.revised", round: 1, attempts: 1 } as const
  const again = told(2, { ...revised, taskList: listOf(["B", "b"], ["C", "other"], ["E", "e"]) })

  it("say what is new, changed, kept, dropped and finished", () => {
    const [first, second] = roundsOf(plan, finish(1, "A"), again)
    const changes = (round = first) => round?.steps[0]?.tasks.map(({ change, name }) => `${name} ${change}`)
    expect(changes()).toEqual(["A", "B", "C", "D"].map((name) => `${name} undefined`))
    expect(changes(second)).toEqual(["B kept", "C changed", "E new"])
    expect([second?.round, second?.dropped, second?.finished]).toEqual([2, ["D"], ["A"]])
  })

  it("are not told twice by a session that goes on", () => {
    const first = [plan, finish(1, "A"), again]
    expect(roundsOf(...first, finish(9, "B"), plan, again)).toEqual(roundsOf(...first))
  })
})
