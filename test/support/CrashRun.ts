/**
 * A run of twelve tasks of the real binary that is killed and goes on, and what must hold whenever and however often that
 * happens. The model is a script on the loopback, so that every run of it must come to the same end.
 */
import * as Effect from "effect/Effect"
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { RunOpened } from "../../src/domain/JournalRecord.ts"
import { type Ended, makeSandbox, type StartOptions } from "./binary.ts"
import { FakeOllama } from "./FakeOllama.ts"
import { fakeModel } from "./FakeOllamaPaths.ts"
import type { ChatBody } from "./FakeOllamaScript.ts"
import { journalBytes } from "./Journals.ts"
import { planOf, refinementWith, resultSaying } from "./TestRun.ts"

interface Call {
  readonly name: string
  readonly arguments: object
}

const write = (path: string, content: string): Call => ({ name: "write_file", arguments: { path, content } })
const clock: Call = { name: "get_current_time", arguments: {} }

/** What each task does, by step. Two of them write a file again that an earlier one wrote. */
const steps: ReadonlyArray<Readonly<Record<string, ReadonlyArray<Call>>>> = [
  {
    "Write 1": [write("out/one.txt", "one\n")],
    "Write 2": [write("out/two.txt", "two\n"), write("out/three.txt", "three\n")],
    "Tell the time": [clock],
    "Look 1": [{ name: "read_file", arguments: { path: "notes.md" } }]
  },
  {
    "Write 3": [write("out/one.txt", "one again\n")],
    "Write 4": [write("notes.md", "# Changed\n"), clock],
    "Look 2": [{ name: "read_file", arguments: { path: "other.md" } }],
    "Talk 1": []
  },
  {
    "Write 5": [write("out/deep/er/four.txt", Array.from({ length: 200 }, (_, line) => `line ${line}\n`).join(""))],
    "Write 6": [write("out/one.txt", "one for the last time\n")],
    "Talk 2": [],
    "Look 3": [clock]
  }
]

const calls = Object.assign({}, ...steps) as Readonly<Record<string, ReadonlyArray<Call>>>

const plan = planOf(
  steps.map((tasks) =>
    Object.entries(tasks).map(([name, made]) => ({ name, skill: made.length === 0 ? "talk" : "any" }))
  )
)

const answer = ({ messages }: ChatBody): string => {
  const [system, user] = [messages[0]?.content ?? "", messages[1]?.content ?? ""]
  const [, task = ""] = /^## Task\n+- \*\*Name\*\* (.+)$/m.exec(user) ?? []
  switch (/^# Stage: (\w+)$/m.exec(system)?.[1]) {
    case "creation":
      return plan
    case "refinement":
      return refinementWith(calls[task] ?? [])
    case "execution":
      return resultSaying(`${task} is done.`)
    case "iteration":
      return planOf([])
    default:
      return "All is done."
  }
}

const skill = (name: string, tools: string): string =>
  `---\nname: ${name}\ndescription: Does anything. Use it in tests.\nallowed-tools: "${tools}"\n---\n\n## Refinement\n\nMake the calls.\n\n## Execution\n\nSay what was found.\n`

/** A line of a journal or of `--json`, as far as it is looked at. */
interface Line {
  readonly type: string
  readonly key?: string
  readonly value?: unknown
  readonly task?: string
  readonly result?: TaskResultLine
  readonly event?: Line
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

/** The whole lines of JSON Lines. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1)

const recordsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Line> =>
  lines.map((line) => (JSON.parse(line) as { readonly record: Line }).record)

const eventsOf = (text: string): ReadonlyArray<Line> => linesOf(text).map((line) => JSON.parse(line) as Line)

const temporary = /^\.task-conductor-.*\.tmp$/

/** All files below a folder with their texts; `left` are those that a write began and never finished. */
const filesOf = (folder: string) => {
  const all = globSync("**/*", { cwd: folder, withFileTypes: true, exclude: [".task-conductor"] }).filter((one) =>
    one.isFile()
  )
  const left = all.filter(({ name }) => temporary.test(name)).length
  const hidden = globSync("**/.*", { cwd: folder }).filter((name) => temporary.test(name.split("/").at(-1)!)).length
  const kept = all.filter(({ name }) => !temporary.test(name))
  return {
    left: Math.max(left, hidden),
    texts: Object.fromEntries(
      kept
        .map(({ name, parentPath }) => join(parentPath, name))
        .toSorted()
        .map((file) => [file.slice(folder.length), readFileSync(file, "utf8")])
    )
  }
}

/** What may differ from run to run: times, and what a call that was done again found of its first try. */
const mayDiffer = new Set(["execution_time_ms", "timestamp", "diff", "data_size_bytes"])

const withoutTimes = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (mayDiffer.has(key) ? 0 : inner)).replaceAll(
      /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
      "TIME"
    )
  )

const flags = ["--json", "--yes-this-run", "--allow", "write_file", "--allow", "read_file"]

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** How a session ends: by itself, at a system call (see `strace`), or a time in ms after its first event. */
export interface Session {
  readonly under?: ReadonlyArray<string>
  readonly killAfter?: number
}

export interface CrashOptions {
  /** How many model calls go on side by side. */
  readonly parallel?: number
  /** How long the model takes for an answer, in ms. */
  readonly latency?: number
}

/** One run with its project, its state and its model; everything is removed with the scope. */
export const makeCrashRun = Effect.fnUntraced(function* ({ latency = 0, parallel = 4 }: CrashOptions = {}) {
  let release = 0
  const server = yield* FakeOllama.make((body) => {
    if (latency === 0) return answer(body)
    const hold = `call-${(release += 1)}`
    void pause(latency).then(() => Effect.runPromise(server.release(hold)))
    return { text: answer(body), hold }
  })
  const sandbox = yield* Effect.acquireRelease(
    Effect.sync(() => makeSandbox()),
    ({ remove }) => Effect.sync(remove)
  )
  const project = join(sandbox.root, "project")
  const state = join(sandbox.root, "home/.local/state/task-conductor")
  sandbox.write("config/task-conductor/skills/any/SKILL.md", skill("any", "get_current_time write_file read_file"))
  sandbox.write("config/task-conductor/skills/talk/SKILL.md", skill("talk", ""))
  sandbox.write("project/notes.md", "# Notes\n")
  sandbox.write("project/other.md", "# Other\n")

  const journals = (): ReadonlyArray<string> => globSync("runs/*/journal.jsonl", { cwd: state })
  /** The whole lines of the journal; none when there is no journal. */
  const journal = (): ReadonlyArray<string> => {
    const [file] = journals()
    return file === undefined ? [] : linesOf(readFileSync(join(state, file), "utf8"))
  }
  const hasBegun = (): boolean => journal().length > 0

  const session = ({ killAfter, under }: Session) =>
    Effect.promise(async (): Promise<Ended> => {
      const [file] = journals()
      const isNew = file === undefined || !hasBegun()
      if (isNew) rmSync(state, { recursive: true, force: true })
      const options: StartOptions = {
        env: { OLLAMA_HOST: server.url, UV_THREADPOOL_SIZE: "1" },
        ...(under === undefined ? {} : { under })
      }
      const words = isNew
        ? ["run", "--model", fakeModel, "--parallel", String(parallel), ...flags, "Do the twelve tasks."]
        : ["resume", ...flags, dirname(file).slice("runs/".length)]
      const running = sandbox.start(words, options)
      if (killAfter !== undefined) {
        const begun = running.says('"type":"run.started"').catch(() => undefined)
        await Promise.race([begun.then(() => pause(killAfter)), running.ended])
        running.child.kill("SIGKILL")
      }
      return await running.ended
    })

  /** Begins a run as if another, with this first line, had been killed right after it, so that its name is known. */
  const seed = (firstLine: string): string => {
    const runId = "20261120-183000-k3x9"
    const file = join(state, "runs", runId, "journal.jsonl")
    const { record } = JSON.parse(firstLine) as { readonly record: RunOpened }
    const { order, settings } = record
    const opened = { ...record, project, order: { ...order, runId }, settings: { ...settings, host: server.url } }
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, journalBytes([opened]))
    return file
  }

  return {
    sandbox,
    project,
    server,
    session,
    seed,
    journal,
    files: () => filesOf(project),
    firstLine: () => journal()[0] ?? ""
  }
})

export type CrashRun = Effect.Success<ReturnType<typeof makeCrashRun>>

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
  /** Tool results that were told and were not in the journal yet. */
  early: number
}

export const newHistory = (): History => ({ lines: [], told: new Map(), kills: 0, early: 0 })

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

/** Takes down what is acknowledged after a kill, and gives what was broken by then. */
export const afterKill = (run: CrashRun, history: History, stdout: string): ReadonlyArray<string> => {
  const lines = run.journal()
  const breaches = beginsWith(lines, history.lines) ? [] : ["records that were acknowledged are gone"]
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
      const key = `round-1/tool/${task.toLowerCase().replaceAll(" ", "-")}/${uid}`
      if (!outcomes.has(key)) history.early += 1
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
  const breaches: Array<string> = []
  const outcome = outcomeOf(run, ended)
  for (const name of ["code", "status", "message", "answer", "results", "files"] as const) {
    if (JSON.stringify(outcome[name]) !== JSON.stringify(expected[name])) {
      breaches.push(`${name} differs: ${JSON.stringify(outcome[name])?.slice(0, 300)} ${ended.stderr.slice(0, 500)}`)
    }
  }
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
