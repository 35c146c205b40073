/**
 * The saved runs: their list, their status, and the contents of their journals.
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
import type { RunStanding, RunSummary } from "../../domain/history/RunStanding.ts"
import { RunStatus } from "../../domain/runs/RunReport.ts"
import { JournalError } from "../journal/JournalError.ts"
import { type JournalProgress, journalProgress, mostProgressBytes } from "./JournalProgress.ts"
import { type JournalSummary, readJournalSummary } from "./JournalSummary.ts"
import { lastOf } from "./LastRun.ts"
import { RunNotFound } from "./RunNotFound.ts"
import { type JournalContent, readJournal } from "../journal/JournalReader.ts"
import { type LockHolder, lockHolder, type LockUnavailable, takeLock } from "../files/Lock.ts"
import { journalPath, lockFolder, runLock } from "./RunPaths.ts"

/** The id that is meant among all ids, the newest first: an id, its beginning when only one has it, or `last`. */
export const chooseRun = Effect.fn("chooseRun")(function* (given: string, all: ReadonlyArray<string>) {
  const [last] = all
  if (given === "last" && last !== undefined) return last
  if (all.includes(given)) return given
  const beginning = given === "" ? [] : all.filter((id) => id.startsWith(given))
  const [only] = beginning
  if (only !== undefined && beginning.length === 1) return only
  const isAmbiguous = beginning.length > 1
  const candidates = (isAmbiguous ? beginning : nearest(given, all)).slice(0, 5)
  return yield* new RunNotFound({ given, candidates, isAmbiguous })
})

const isStatus = Schema.is(RunStatus)

/** The newest first. Ids name the second in which a run began, and within one they say nothing. */
const byStart = (one: RunSummary, other: RunSummary): number =>
  compareCodePoints(other.runId.slice(0, 15), one.runId.slice(0, 15)) ||
  compareCodePoints(other.startedAt ?? "", one.startedAt ?? "") ||
  compareCodePoints(other.runId, one.runId)

/** What a list says about a run. */
const summaryOf = (
  runId: string,
  { bytes, opened, startedAt, status }: JournalSummary,
  { durationMs, exitCode, lastAt, project = opened.project, tasks }: JournalProgress,
  held: LockHolder | undefined
): RunSummary => {
  const { model } = opened.settings
  const standing: RunStanding = held !== undefined ? "running" : isStatus(status) ? status : "unfinished"
  const ended = lastAt === undefined ? undefined : Date.parse(lastAt) - Date.parse(startedAt)
  const duration = durationMs ?? (held === undefined ? ended : undefined)
  return {
    runId,
    standing,
    startedAt,
    ...(held !== undefined || lastAt === undefined ? {} : { endedAt: lastAt }),
    ...(duration === undefined ? {} : { durationMs: duration }),
    ...(status === undefined || exitCode === undefined ? {} : { exitCode }),
    ...(tasks === undefined ? {} : { tasks }),
    project,
    prompt: opened.order.prompt,
    bytes,
    ...(model === undefined ? {} : { model }),
    ...(held === undefined ? {} : { pid: held.pid })
  }
}

/** Ids are names of folders: nothing else is looked for. */
const isId = (name: string): boolean => /^[a-z0-9][a-z0-9-]{0,63}$/.test(name)

export class RunStore extends Context.Service<
  RunStore,
  {
    /** All runs, the newest first. */
    readonly list: Effect.Effect<ReadonlyArray<RunSummary>>
    /**
     * The id of the run that is meant: an id, its beginning when only one has it, or `last`, which is the newest of the
     * current project. `moved` is the folder that the project was moved to, if the person says so.
     */
    find(given: string, moved?: string): Effect.Effect<string, RunNotFound>
    /** The journal of a run, verified to be intact. */
    read(runId: string): Effect.Effect<JournalContent, JournalError>
    /** Where the journal of a run is. */
    pathOf(runId: string): string
    /** The process that works on a run now. */
    holder(runId: string): Effect.Effect<LockHolder | undefined>
    /** Removes a run with all that was saved of it; false when a process works on it. */
    remove(runId: string): Effect.Effect<boolean, LockUnavailable>
  }
>()("task-conductor/services/history/RunStore") {
  /** The runs below the folder where the program saves its state. */
  static readonly layer = (state: string): Layer.Layer<RunStore, never, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(
      RunStore,
      Effect.gen(function* () {
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

        const progressOf = Effect.fnUntraced(
          function* (runId: string) {
            const { buffer, byteLength, byteOffset } = yield* fs.readFile(pathOf(runId))
            return journalProgress(Buffer.from(buffer, byteOffset, byteLength))
          },
          Effect.orElseSucceed((): JournalProgress => ({}))
        )

        const summary = Effect.fnUntraced(function* (runId: string) {
          const peek = yield* provide(readJournalSummary(pathOf(runId)))
          if (peek === undefined) return { runId, standing: "unreadable", bytes: 0 } satisfies RunSummary
          const held = peek.status === undefined ? yield* holder(runId) : undefined
          return summaryOf(runId, peek, peek.bytes > mostProgressBytes ? {} : yield* progressOf(runId), held)
        })

        const list = Effect.flatMap(ids, (all) =>
          Effect.map(Effect.forEach(all, summary, { concurrency: 8 }), (found) => found.toSorted(byStart))
        )

        return RunStore.of({
          list,
          find: Effect.fn("RunStore.find")(function* (given, moved) {
            if (given !== "last") return yield* chooseRun(given, yield* ids)
            const where = { folder: moved ?? path.resolve(), isMoved: moved !== undefined }
            return yield* provide(lastOf(yield* list, where))
          }),
          read: Effect.fn("RunStore.read")(function* (runId) {
            const path = pathOf(runId)
            const content = yield* provide(readJournal(path))
            const found = content.opened.order.runId
            if (found === runId) return content
            return yield* new JournalError({ path, reason: { _tag: "Misplaced", found } })
          }),
          pathOf,
          holder,
          remove: Effect.fn("RunStore.remove")(function* (runId) {
            const journal = pathOf(runId)
            const remove = Effect.ignore(fs.remove(path.dirname(journal), { recursive: true, force: true }))
            /* Under its lock: a process that hangs says nothing, and still has the run. */
            return yield* takeLock(runLock(journal), { folder: lockFolder(path, state), runId, what: runId }).pipe(
              Effect.andThen(Effect.as(remove, true)),
              Effect.catchTag("LockTaken", () => Effect.succeed(false)),
              Effect.scoped,
              provide
            )
          })
        })
      })
    )
}
