/**
 * What must hold of the run of CrashRun whenever and however often it is killed: what was acknowledged stays and is not done
 * again, and the end is the one that an uninterrupted run comes to.
 */
import { type ModelCallId, modelCallKey } from "../../src/domain/runs/ActivityKey.ts"
import type { Ended } from "./binary.ts"
import { type CrashRun, linesOf } from "./CrashRun.ts"

/** A line of a journal or of `--json`, as far as it is looked at. */
interface Line {
  readonly type: string
  readonly key?: string
  readonly value?: unknown
  readonly task?: string
  readonly result?: TaskResultLine
  readonly event?: Line
  readonly code?: string
  readonly text?: string
  readonly report?: Report
}
interface TaskResultLine {
  readonly task: { readonly name: string }
}
interface Report {
  readonly status: string
  readonly message: string
  readonly answer: string
  readonly results: ReadonlyArray<TaskResultLine>
}

const recordsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Line> =>
  lines.map((line) => (JSON.parse(line) as { readonly record: Line }).record)

const eventsOf = (text: string): ReadonlyArray<Line> => linesOf(text).map((line) => JSON.parse(line) as Line)

/** What may differ from run to run: times. */
const mayDiffer = new Set(["execution_time_ms", "timestamp", "data_size_bytes", "seconds"])

/** A write that a kill left in doubt is told as carried out, without what it found; everything else is the same. */
const isWrite = (value: unknown): boolean =>
  ["write_file", "edit_file", "remove_file"].includes((value as { name?: string } | undefined)?.name ?? "")

const withoutTimes = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, function (this: { readonly call?: unknown }, key, inner: unknown) {
      if (mayDiffer.has(key)) return 0
      return key === "result" && isWrite(this.call) ? { ...(inner as object), data: null } : inner
    })
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      .replaceAll(/\bin [\d.]+ s\b/g, "in a time")
  )

/** What an uninterrupted run comes to. */
export const outcomeOf = (run: CrashRun, { code, stdout }: Ended) => {
  const report = eventsOf(stdout).at(-1)?.report
  const results = (report?.results ?? []).toSorted((a, b) => (a.task.name < b.task.name ? -1 : 1))
  return {
    code,
    status: report?.status,
    message: report?.message,
    answer: report?.answer,
    results: withoutTimes(results),
    files: run.files().texts
  }
}

/** What is known of a run while it is killed again and again. */
export interface History {
  /** The whole lines of the journal, as they were at the last kill. */
  lines: ReadonlyArray<string>
  /** Results that were told on stdout. */
  readonly told: Map<string, string>
  kills: number
}

export const newHistory = (): History => ({ lines: [], told: new Map(), kills: 0 })

const byKey = (records: ReadonlyArray<Line>, type: string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const record of records) {
    if (record.type === type && record.key !== undefined) counts.set(record.key, (counts.get(record.key) ?? 0) + 1)
  }
  return counts
}

/** Whether a text begins with all of these lines. */
const beginsWith = (lines: ReadonlyArray<string>, start: ReadonlyArray<string>): boolean =>
  start.every((line, index) => lines[index] === line)

/** Whether a key in the journal is that of a call; a hash of what the call is given may follow. */
export const isKeyOf = (key: string, { task, uid }: { readonly task: string; readonly uid: string }): boolean =>
  key.split("#")[0] === `round-1/tool/${task.toLowerCase().replaceAll(" ", "-")}/${uid}`

/** Files are changed by nobody but the run. */
const blamed = (stdout: string): ReadonlyArray<string> =>
  eventsOf(stdout).flatMap(({ code, text }) => (code === "files-changed" ? [`said wrongly: ${text}`] : []))

/** Takes down what is acknowledged after a kill, and gives what was broken by then. */
export const afterKill = (run: CrashRun, history: History, stdout: string): ReadonlyArray<string> => {
  const lines = run.journal()
  const breaches = [...blamed(stdout)]
  if (!beginsWith(lines, history.lines)) breaches.push("records that were acknowledged are gone")
  const records = recordsOf(lines)
  const outcomes = byKey(records, "outcome")
  for (const event of eventsOf(stdout)) {
    if (event.type === "task.finished" && event.task !== undefined) {
      const before = history.told.get(event.task)
      const now = JSON.stringify(event.result)
      if (before !== undefined && before !== now)
        breaches.push(`the result of ${event.task} was told twice, differently`)
      history.told.set(event.task, now)
    }
    if (event.type === "tool.finished") {
      const { task, uid } = (event as unknown as { readonly id: { readonly task: string; readonly uid: string } }).id
      if (![...outcomes.keys()].some((key) => isKeyOf(key, { task, uid })))
        breaches.push(`the result of ${task}/${uid} was told before it was kept`)
    }
    if (event.type === "model.finished") {
      const { call } = event as unknown as { readonly call: ModelCallId }
      if (![...outcomes.keys()].some((key) => key.split("#")[0] === modelCallKey(call)))
        breaches.push(`the answer of ${modelCallKey(call)} was told before it was kept`)
    }
  }
  history.lines = lines
  history.kills += 1
  return breaches
}

/** What was broken by a run that came to its end. */
export const breachesOf = (
  run: CrashRun,
  history: History,
  ended: Ended,
  expected: ReturnType<typeof outcomeOf>
): ReadonlyArray<string> => {
  const breaches: Array<string> = [...blamed(ended.stdout)]
  const outcome = outcomeOf(run, ended)
  for (const name of ["code", "status", "message", "answer", "results", "files"] as const) {
    if (JSON.stringify(outcome[name]) !== JSON.stringify(expected[name])) {
      breaches.push(`${name} differs: ${JSON.stringify(outcome[name])?.slice(0, 300)} ${ended.stderr.slice(0, 500)}`)
    }
  }
  const { left } = run.files()
  if (left > 0) breaches.push(`${left} files of writes that never finished are left`)
  const lines = run.journal()
  if (!beginsWith(lines, history.lines)) breaches.push("records that were acknowledged are gone")
  const records = recordsOf(lines)
  const before = recordsOf(history.lines)
  for (const type of ["outcome", "settled"]) {
    for (const [key, count] of byKey(records, type)) if (count > 1) breaches.push(`${key} has ${count} ${type}s`)
  }
  const known = byKey(before, "outcome")
  for (const type of ["prompt", "intent"]) {
    const all = byKey(records, type)
    for (const [key, count] of byKey(before, type)) {
      if (known.has(key) && (all.get(key) ?? 0) > count) breaches.push(`${key} was done and has a new ${type}`)
    }
    for (const [key, count] of all) if (count > history.kills + 1) breaches.push(`${key} has ${count} ${type}s`)
  }
  const results = new Map(
    (eventsOf(ended.stdout).at(-1)?.report?.results ?? []).map((result) => [result.task.name, JSON.stringify(result)])
  )
  for (const [task, result] of history.told) {
    if (results.get(task) !== result) breaches.push(`the result of ${task} that was told is not the one in the report`)
  }
  return breaches
}
