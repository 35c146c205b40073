/**
 * Lists the saved runs with their status, and reads their journals. A list covers all runs, so it reads only a few
 * records of each journal, and verifies only the first line.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { compareCodePoints } from "../../domain/text/CodePointOrder.ts"
import { nearest } from "../../domain/text/Nearest.ts"
import { RunSummary } from "../../domain/history/RunOverview.ts"
import { JournalError } from "../journal/JournalError.ts"
import { type JournalContent, readJournal, maxJournalBytes } from "../journal/JournalReader.ts"
import { type LockHolder, lockHolder, takeLock } from "../files/ProcessLock.ts"
import { type JournalRecord, journalVersion } from "../../domain/journal/JournalRecord.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import type { RunStatus } from "../../domain/runs/RunReport.ts"
import { decodeLine, firstSum, headOf, lineOf, parseJson, readRecord } from "../journal/JournalLine.ts"

/**
 * The data for a `RunSummary`. `status` comes from the final report. It is absent if the journal does not end with a
 * report.
 */
type JournalSummary = NonNullable<Effect.Success<ReturnType<typeof readJournalSummary>>>

/** The records that the summary needs. Records of other types are long, or say nothing about progress. */
const read: ReadonlySet<string> = new Set<JournalRecord["type"] | RunEvent["type"]>([
  "resumed",
  "run.started",
  "plan.created",
  "plan.revised",
  "task.finished",
  "task.kept",
  "run.finished"
])

/** The complete lines of a journal. */
function* linesOf(bytes: Buffer): Generator<string> {
  for (let start = 0, end = bytes.indexOf("\n"); end !== -1; start = end + 1, end = bytes.indexOf("\n", start)) {
    yield bytes.toString("utf8", start, end)
  }
}

/** The record of a line. It is read even if other parts of the line are damaged. */
const recordIn = (text: string, at: string): JournalRecord | undefined => {
  const { record: json } = (parseJson(text) ?? {}) as { readonly record?: unknown }
  return readRecord(lineOf({ seq: 0, at, json, text }))
}

/** The progress of a run according to its lines. */
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

/** Summarises a journal. Undefined if this version cannot read the beginning of the journal. */
export const readJournalSummary = Effect.fn("readJournalSummary")(
  function* (path: string) {
    const fs = yield* FileSystem.FileSystem
    /** Opening a named pipe would wait for another process. */
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

/** The path of a journal: `<state>/runs/<run>/journal.jsonl`. */
export const journalPath = (
  path: Path.Path,
  { runId, state }: { readonly runId: string; readonly state: string }
): string => path.join(state, "runs", runId, "journal.jsonl")

/** The folder for versions of the files that a run changed. */
export const versionsFolder = (path: Path.Path, journal: string): string => path.join(path.dirname(journal), "versions")

/** The folder for lock files of runs, on systems that need them. */
export const lockFolder = (path: Path.Path, state: string): string => path.join(state, "locks")

export const runLock = (journal: string): string => `run ${journal}`

/** Says that this project has no run, but that other projects have runs. `newest` is the newest of these runs. */
export const RunsElsewhere = Schema.Struct({
  project: Schema.String,
  runs: Schema.Int,
  newest: Schema.String,
  newestProject: Schema.String
})
export type RunsElsewhere = typeof RunsElsewhere.Type

const elsewhereText = ({ newest, newestProject, project, runs }: RunsElsewhere): string => {
  const others = runs === 1 ? "There is one run of another project" : `There are ${runs} runs of other projects`
  return `There is no run of this project (${project}) yet. ${others}; the newest is ${newest} of ${newestProject}. See "task-conductor runs --all".`
}

/** Says that a name fits no run, or that it fits several runs. */
export class RunNotFound extends Schema.TaggedError<RunNotFound>()("RunNotFound", {
  given: Schema.String,
  candidates: Schema.Array(Schema.String),
  isAmbiguous: Schema.Boolean,
  /** Facts about other projects. Present if the user asked for `last` and only other projects have runs. */
  elsewhere: Schema.optionalKey(RunsElsewhere)
}) {
  override get message(): string {
    const candidates = this.candidates.join(", ")
    if (this.elsewhere !== undefined) return elsewhereText(this.elsewhere)
    if (this.isAmbiguous) return `"${this.given}" fits several runs: ${candidates}. Write more of the id.`
    return `There is no run "${this.given}".${candidates === "" ? "" : ` Nearest: ${candidates}.`} See "task-conductor runs".`
  }
}

export class RunNotRemoved extends Schema.TaggedError<RunNotRemoved>()("RunNotRemoved", {
  runId: Schema.String,
  detail: Schema.String
}) {
  readonly exitCode = 1
  override get message(): string {
    return `The run ${this.runId} could not be removed: ${this.detail}. Remove its folder yourself, or correct its permissions.`
  }
}

/** The real path of a folder. If links cannot be resolved, the absolute path. */
const realFolder = Effect.fnUntraced(function* (folder: string) {
  const path = yield* Path.Path
  return yield* Effect.orElseSucceed((yield* FileSystem.FileSystem).realPath(folder), () => path.resolve(folder))
})

/** Divides runs into runs of the project in `folder` and runs of other projects. Both lists keep the order. */
export const runsOf = Effect.fn("runsOf")(function* (all: ReadonlyArray<RunSummary>, folder: string) {
  const here = yield* realFolder(folder)
  const named = new Set(all.flatMap(({ project }) => project ?? []))
  const real = new Map(
    yield* Effect.forEach(named, (one) => Effect.map(realFolder(one), (found) => [one, found] as const))
  )
  const isHere = ({ project }: RunSummary): boolean => project !== undefined && real.get(project) === here
  return { here, own: all.filter(isHere), others: all.filter((one) => !isHere(one)) }
})

/**
 * The newest run of the project in `folder`. `all` must begin with the newest run. `isMoved` says that the project was
 * moved to `folder`. If `folder` has no run then, returns the newest run whose project folder no longer exists.
 */
const lastOf = Effect.fn("lastOf")(function* (
  all: ReadonlyArray<RunSummary>,
  { folder, isMoved }: { readonly folder: string; readonly isMoved: boolean }
) {
  const fs = yield* FileSystem.FileSystem
  const { here, others, own } = yield* runsOf(all, folder)
  const [last] = own
  if (last !== undefined) return last.runId
  const ofProjects = others.flatMap(({ project, runId }) => (project === undefined ? [] : [{ project, runId }]))
  if (isMoved) {
    for (const { project, runId } of ofProjects) {
      if (!(yield* Effect.orElseSucceed(fs.exists(project), () => true))) return runId
    }
  }
  const [newest] = ofProjects
  return yield* new RunNotFound({
    given: "last",
    candidates: [],
    isAmbiguous: false,
    ...(newest === undefined
      ? {}
      : {
          elsewhere: { project: here, runs: others.length, newest: newest.runId, newestProject: newest.project }
        })
  })
})

/**
 * The id of the run that the user named: by this id, by the beginning of the id, or by `last`. `all` begins with the
 * newest run.
 */
export const chooseRun = Effect.fn("chooseRun")(function* (wanted: string, all: ReadonlyArray<string>) {
  const [last] = all
  if (wanted === "last" && last !== undefined) return last
  if (all.includes(wanted)) return wanted
  const beginning = wanted === "" ? [] : all.filter((id) => id.startsWith(wanted))
  const [only] = beginning
  if (only !== undefined && beginning.length === 1) return only
  const isAmbiguous = beginning.length > 1
  const candidates = (isAmbiguous ? beginning : nearest(wanted, all)).slice(0, 5)
  return yield* new RunNotFound({ given: wanted, candidates, isAmbiguous })
})

/**
 * Sorts the newest run first. Ids are precise to the second. If two runs began in the same second, the start time
 * decides.
 */
const byStart = (first: RunSummary, second: RunSummary): number =>
  compareCodePoints(second.runId.slice(0, 15), first.runId.slice(0, 15)) ||
  compareCodePoints(second.startedAt ?? "", first.startedAt ?? "") ||
  compareCodePoints(second.runId, first.runId)

const summaryOf = (
  runId: string,
  { bytes, durationMs, exitCode, lastAt, opened, project, startedAt, status, tasks }: JournalSummary,
  held: LockHolder | undefined
): RunSummary => ({
  runId,
  standing: held !== undefined ? "running" : (status ?? "unfinished"),
  startedAt,
  endedAt: held === undefined ? lastAt : undefined,
  durationMs: durationMs ?? (held === undefined ? Date.parse(lastAt) - Date.parse(startedAt) : undefined),
  exitCode: status === undefined ? undefined : exitCode,
  tasks,
  project: project ?? opened.project,
  prompt: opened.order.prompt,
  bytes,
  model: opened.settings.model,
  pid: held?.pid
})

/** True for a name that can be the id of a run. Runs are folders named by their ids; other folders are ignored. */
const isId = (name: string): boolean => /^[a-z0-9][a-z0-9-]{0,63}$/.test(name)

/** Up to this number of runs, no cached summaries are used, because reading all journals is fast enough. */
const fewRuns = 50

/**
 * The states of a run in which its summary is not cached: the run can still change, or another version may be able to
 * read its journal.
 */
const openStandings: ReadonlySet<RunSummary["standing"]> = new Set(["running", "unfinished", "unreadable"])

/** A cached summary of a run, and the state of the journal from which the summary was made. */
const KeptSummary = Schema.fromJsonString(Schema.Struct({ journal: Schema.String, summary: RunSummary }))
const decodeKept = Schema.decodeUnknownOption(KeptSummary)

/** A text that changes with every record of the journal. Undefined if there is no file. */
const fileState = (fs: FileSystem.FileSystem, file: string): Effect.Effect<string | undefined> =>
  fs.stat(file).pipe(
    Effect.map(({ mtime, size, type }) =>
      type === "File"
        ? `${size} ${Option.match(mtime, { onNone: () => "", onSome: (at) => at.toISOString() })}`
        : undefined
    ),
    Effect.orElseSucceed(() => undefined)
  )

/** Makes the store of the runs in the folder `state`. */
const makeRunStore = Effect.fnUntraced(function* (state: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem | Path.Path>())
  const folder = path.join(state, "runs")
  const pathOf = (runId: string): string => journalPath(path, { state, runId })

  const holder = Effect.fn("RunStore.holder")((runId: string) =>
    provide(lockHolder(runLock(pathOf(runId)), { folder: lockFolder(path, state) })).pipe(
      Effect.map(Option.getOrUndefined)
    )
  )

  const ids = fs.readDirectory(folder).pipe(
    Effect.map((names) => names.filter(isId).toSorted().toReversed()),
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )

  const summary = Effect.fnUntraced(function* (runId: string) {
    const found = yield* provide(readJournalSummary(pathOf(runId)))
    if (found === undefined) return { runId, standing: "unreadable", bytes: 0 } satisfies RunSummary
    return summaryOf(runId, found, found.status === undefined ? yield* holder(runId) : undefined)
  })

  /**
   * Returns the summary of a run. The summary of an ended run is cached beside its journal. The cache is valid until
   * the journal changes.
   */
  const keptSummary = Effect.fnUntraced(function* (runId: string) {
    const journal = pathOf(runId)
    const file = path.join(path.dirname(journal), "summary.json")
    const [state, kept] = yield* Effect.all([fileState(fs, journal), fileState(fs, file)])
    if (state !== undefined && kept !== undefined) {
      const text = yield* Effect.orElseSucceed(fs.readFileString(file), () => "")
      const read = Option.getOrUndefined(decodeKept(text))
      if (read?.journal === state && read.summary.runId === runId) return read.summary
    }
    const runSummary = yield* summary(runId)
    if (state !== undefined && !openStandings.has(runSummary.standing)) {
      /** Not flushed to disk, because the summary can be computed again. */
      yield* Effect.ignore(
        fs.writeFileString(file, JSON.stringify({ journal: state, summary: runSummary }), { mode: 0o600 })
      )
    }
    return runSummary
  })

  const list: Effect.Effect<ReadonlyArray<RunSummary>> = Effect.flatMap(ids, (all) =>
    Effect.map(Effect.forEach(all, all.length > fewRuns ? keptSummary : summary, { concurrency: 8 }), (found) =>
      found.toSorted(byStart)
    )
  )

  return {
    /** All runs, newest first. */
    list,
    /**
     * The id of the run that the user means. The user gives the id, the beginning of the id, or `last` for the newest
     * run of this project. `moved` is the new folder of a moved project, if the user names this folder.
     */
    find: Effect.fn("RunStore.find")(function* (given: string, moved?: string) {
      if (given !== "last") return yield* chooseRun(given, yield* ids)
      const where = { folder: moved ?? path.resolve(), isMoved: moved !== undefined }
      return yield* provide(lastOf(yield* list, where))
    }),
    /** Reads and verifies the journal of a run. */
    read: Effect.fn("RunStore.read")(function* (runId: string) {
      const path = pathOf(runId)
      const content: JournalContent = yield* provide(readJournal(path))
      const found = content.opened.order.runId
      if (found === runId) return content
      return yield* new JournalError({ path, reason: { _tag: "Misplaced", found } })
    }),
    /** The path of the journal of a run. */
    pathOf,
    /** The process that currently works on a run. */
    holder,
    /** Removes a run with all its data. Returns false if a process is still working on the run. */
    remove: Effect.fn("RunStore.remove")(function* (runId: string) {
      const journal = pathOf(runId)
      const remove = Effect.mapError(
        fs.remove(path.dirname(journal), { recursive: true, force: true }),
        ({ message }) => new RunNotRemoved({ runId, detail: message })
      )
      /** A hanging process does not answer but still holds the lock. */
      return yield* takeLock(runLock(journal), { folder: lockFolder(path, state), runId, what: runId }).pipe(
        Effect.andThen(Effect.as(remove, true)),
        Effect.catchTag("LockTaken", () => Effect.succeed(false)),
        Effect.scoped,
        provide
      )
    })
  }
})

export class RunStore extends Context.Service<RunStore>()("task-conductor/services/history/RunStore", {
  make: makeRunStore
}) {
  static readonly layer = (state: string) => Layer.effect(this, this.make(state))
}
