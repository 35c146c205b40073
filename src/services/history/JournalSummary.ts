/**
 * What a list says about a run, from its journal. Only the records that a list needs are read, and nothing but the first
 * line is verified: a list reads the journals of all runs.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { type JournalRecord, journalVersion } from "../../domain/journal/JournalRecord.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import type { RunStatus } from "../../domain/runs/RunReport.ts"
import { decodeLine, firstSum, headOf, lineOf, parseJson, readRecord } from "../journal/JournalLine.ts"
import { maxJournalBytes } from "../journal/JournalReader.ts"

/** What `RunSummary` is made of. `status` is that of the report which ends the journal, absent when something else does. */
export type JournalSummary = NonNullable<Effect.Success<ReturnType<typeof readJournalSummary>>>

/** The records that are read; the other ones are long, or say nothing about how far a run came. */
const read: ReadonlySet<string> = new Set<JournalRecord["type"] | RunEvent["type"]>([
  "resumed",
  "run.started",
  "plan.created",
  "plan.revised",
  "task.finished",
  "task.kept",
  "run.finished"
])

/** The whole lines of a journal. */
function* linesOf(bytes: Buffer): Generator<string> {
  for (let start = 0, end = bytes.indexOf("\n"); end !== -1; start = end + 1, end = bytes.indexOf("\n", start)) {
    yield bytes.toString("utf8", start, end)
  }
}

/** The record of a line that may be damaged elsewhere. */
const recordIn = (text: string, at: string): JournalRecord | undefined => {
  const { record: json } = (parseJson(text) ?? {}) as { readonly record?: unknown }
  return readRecord(lineOf({ seq: 0, at, json, text }))
}

/** How far the run came, by what its lines say. */
export const progressOf = (lines: Iterable<string>) => {
  const done = new Set<string>()
  let planned: ReadonlyArray<string> | undefined
  let status: RunStatus | undefined
  let durationMs: number | undefined
  let exitCode: number | undefined
  let project: string | undefined
  let lastAt = ""
  for (const text of lines) {
    const { at, event: eventType, type } = headOf(text)
    if (at === undefined) continue
    lastAt = at
    status = undefined
    const record = read.has(eventType ?? type ?? "") ? recordIn(text, at) : undefined
    if (record?.type === "resumed") project = record.project ?? project
    if (record?.type !== "event") continue
    const { event } = record
    if (event.type === "plan.created" || event.type === "plan.revised") {
      planned = event.taskList.steps.flatMap(({ tasks }) => tasks.map(({ name }) => name))
    } else if (event.type === "task.finished" || event.type === "task.kept") {
      done.add(event.task)
    } else if (event.type === "run.finished") {
      durationMs = (durationMs ?? 0) + event.report.usage.durationMs
      exitCode = event.exitCode
      status = event.report.status
    } else if (event.type === "run.started") exitCode = undefined
  }
  const tasks = planned === undefined ? undefined : { done: done.size, total: new Set([...done, ...planned]).size }
  return { lastAt, status, durationMs, exitCode, tasks, project }
}

/** Summarizes a journal; nothing when it does not begin as one of this version. */
export const readJournalSummary = Effect.fn("readJournalSummary")(
  function* (path: string) {
    const fs = yield* FileSystem.FileSystem
    /* Whoever opens a named pipe waits until somebody writes into it. */
    const { size, type } = yield* fs.stat(path)
    if (type !== "File" || size > maxJournalBytes) return undefined
    const bytes = Buffer.from(yield* fs.readFile(path))
    const [first = ""] = linesOf(bytes)
    const line = decodeLine(first, { seq: 1, before: firstSum })
    const opened = typeof line === "string" ? undefined : readRecord(line)
    if (typeof line === "string" || opened?.type !== "opened" || opened.version !== journalVersion) return undefined
    return { opened, startedAt: line.at, ...progressOf(linesOf(bytes)), bytes: bytes.length }
  },
  Effect.orElseSucceed(() => undefined)
)
