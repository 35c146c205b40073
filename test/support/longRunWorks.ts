/**
 * What grows with the number of tasks of a run, for countSteps: writing its journal, reading it again, what a resumed run
 * finds in it, and its report.
 */
import * as Effect from "effect/Effect"
import type { JournalRecord } from "../../src/domain/journal/JournalRecord.ts"
import { plainTask, type Task } from "../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../src/domain/plan/TaskList.ts"
import { TaskResult } from "../../src/domain/plan/TaskResult.ts"
import { reportData } from "../../src/plugins/report/ReportData.ts"
import { modelCallKey, stageKey, toolCallKey } from "../../src/domain/runs/ActivityKey.ts"
import type { RunEvent } from "../../src/domain/runs/RunEvent.ts"
import { makeSafeJson } from "../../src/domain/text/Redaction.ts"
import { knownBy } from "../../src/services/journal/Journal.ts"
import {
  decodeLine,
  encodeLine,
  firstSum,
  type JournalLine,
  type LineEnd,
  sumIn
} from "../../src/services/journal/JournalLine.ts"
import { newProof, proofOf, SealKey } from "../../src/services/journal/JournalSeal.ts"
import { makeRunState } from "../../src/services/runs/RunState.ts"
import { openedRecord } from "./Journals.ts"
import type { Works } from "./stepCounter.ts"

const at = "2026-11-20T18:30:00.000Z"
const hash = "0123456789abcdef"
const output = "one line of the file that the tool has read\n".repeat(10)

const tasksOf = (count: number): ReadonlyArray<Task> =>
  Array.from({ length: count }, (_, n) => plainTask(`Item ${n}`, "any", `Read item ${n}.`, "A summary."))

const resultOf = (task: Task): TaskResult =>
  new TaskResult({ task, calls: [], result: { summary: "It is done.", document: "## Result summary\n\nIt is done." } })

const events = (...all: ReadonlyArray<unknown>): ReadonlyArray<JournalRecord> =>
  all.map((event) => ({ type: "event", event: event as RunEvent }))

const taskRecords = (task: Task): ReadonlyArray<JournalRecord> => {
  const where = { round: 1, step: 0, task: task.name }
  const call = { stage: "task", round: 1, task: task.name, attempt: 1 } as const
  const key = `${modelCallKey(call)}#${hash}`
  const id = { round: 1, task: task.name, uid: "call-1" }
  const tool = { uid: "call-1", name: "read_file", arguments: { path: "a.md" } }
  const metadata = { execution_time_ms: 1, data_size_bytes: output.length, timestamp: 1 }
  const given = { success: true, data: output, error_message: null, error_type: "none", metadata } as const
  const item = { task: task.name, tool: "read_file", targets: ["a.md"], risk: "safe", shown: "a.md" }
  return [
    ...events({ type: "task.started", ...where }, { type: "stage.started", stage: "task", round: 1, task: task.name }),
    ...events({ type: "approval.requested", scope: "call", title: task.name, hash: task.slug, items: [item] }),
    ...events({ type: "approval.answered", scope: "call", hash: task.slug, answer: "once", by: "person" }),
    ...events({ type: "tool.started", id, call: tool, risk: "safe", targets: ["a.md"] }),
    { type: "outcome", key: `${toolCallKey(id)}#${hash}`, value: given },
    ...events({ type: "tool.finished", id, name: "read_file", result: given }),
    { type: "prompt", key, system: "Report what matters.", user: `${output}${task.whatIsNeeded}` },
    ...events({ type: "model.started", call, estimatedTokens: 10 }),
    { type: "outcome", key, value: { text: "It is done.", thinking: "", usage: { durationMs: 1 } } },
    ...events({ type: "model.finished", call, usage: { durationMs: 1 } }),
    { type: "settled", key: stageKey.task(1, task.name), value: JSON.parse(JSON.stringify(resultOf(task))) },
    ...events({ type: "task.finished", ...where, result: resultOf(task) })
  ]
}

/** The records of a run with so many tasks. */
const recordsOf = (count: number): ReadonlyArray<JournalRecord> => {
  const [first, ...rest] = tasksOf(count)
  if (first === undefined) return []
  const taskList = new TaskList({ goals: "All is read.", steps: [new Step({ title: "One", tasks: [first, ...rest] })] })
  return [
    openedRecord(),
    { type: "event", event: { type: "plan.created", attempts: 1, taskList, markdown: "" } },
    ...[first, ...rest].flatMap(taskRecords)
  ]
}

const key = new SealKey(Buffer.alloc(32, 1), openedRecord().order.runId)

const write = (records: ReadonlyArray<JournalRecord>): ReadonlyArray<string> => {
  const toJson = makeSafeJson(["a value that is secret"])
  let last: LineEnd = { seq: 0, sum: firstSum, mac: newProof.next }
  return records.map((record) => {
    const line = encodeLine(record, at, last, { key, write: toJson })
    last = line
    return line.text.trimEnd()
  })
}

const read = (texts: ReadonlyArray<string>): ReadonlyArray<JournalLine> => {
  let before = firstSum
  return texts.map((text, index) => {
    const line = decodeLine(text, { seq: index + 1, before })
    if (typeof line === "string") throw new Error(line)
    before = sumIn(line.text)
    return line
  })
}

const works: Works = {
  "writing a journal": (count) => {
    const records = recordsOf(count)
    return () => write(records)
  },
  "reading a journal": (count) => {
    const texts = write(recordsOf(count))
    return () => proofOf(read(texts), key)
  },
  "what a resumed run knows": (count) => {
    const lines = read(write(recordsOf(count)))
    return () => {
      const known = knownBy(lines)
      return tasksOf(count).map((task) => known.saved("settled", stageKey.task(1, task.name)))
    }
  },
  "the results of a run": (count) => {
    const results = tasksOf(count).map(resultOf)
    return () => {
      const state = Effect.runSync(makeRunState)
      Effect.runSync(state.startRound(tasksOf(count)))
      for (const result of results) Effect.runSync(state.add(result))
      return Effect.runSync(state.get)
    }
  },
  "the report of a run": (count) => {
    const timed = recordsOf(count).map((record) => ({ at: Date.parse(at), record }))
    return () => reportData(timed as never, { runId: openedRecord().order.runId } as never)
  }
}
export default works
