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
import { nearest } from "../../domain/text/Nearest.ts"
import { RunStatus } from "../../domain/runs/RunReport.ts"
import { JournalError } from "../journal/JournalError.ts"
import { readJournalSummary } from "./JournalSummary.ts"
import { type JournalContent, readJournal } from "../journal/JournalReader.ts"
import { type LockHolder, lockHolder, type LockUnavailable, takeLock } from "../files/Lock.ts"
import { journalPath, lockFolder, runLock } from "./RunJournal.ts"

/** `running` holds its lock; `unfinished` ended without a report; `unreadable` does not begin as a journal does. */
export const RunStanding = Schema.Literals([...RunStatus.literals, "running", "unfinished", "unreadable"])
export type RunStanding = typeof RunStanding.Type

/** A run in the list of runs. */
export const RunSummary = Schema.Struct({
  runId: Schema.String,
  standing: RunStanding,
  /** ISO 8601. */
  startedAt: Schema.optionalKey(Schema.String),
  project: Schema.optionalKey(Schema.String),
  prompt: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  /** Size of the journal. */
  bytes: Schema.Int,
  /** The process that works on it. */
  pid: Schema.optionalKey(Schema.Int)
})
export type RunSummary = typeof RunSummary.Type

/** There is no such run, or the name fits several. */
export class RunNotFound extends Schema.TaggedError<RunNotFound>()("RunNotFound", {
  given: Schema.String,
  candidates: Schema.Array(Schema.String),
  isAmbiguous: Schema.Boolean
}) {
  override get message(): string {
    const candidates = this.candidates.join(", ")
    if (this.isAmbiguous) return `"${this.given}" fits several runs: ${candidates}. Write more of the id.`
    return `There is no run "${this.given}".${candidates === "" ? "" : ` Nearest: ${candidates}.`} See "task-conductor runs".`
  }
}

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

/** Ids are names of folders: nothing else is looked for. */
const isId = (name: string): boolean => /^[a-z0-9][a-z0-9-]{0,63}$/.test(name)

export class RunStore extends Context.Service<
  RunStore,
  {
    /** All runs, the newest first. */
    readonly list: Effect.Effect<ReadonlyArray<RunSummary>>
    /** The id of the run that is meant: an id, its beginning when only one has it, or `last`. */
    find(given: string): Effect.Effect<string, RunNotFound>
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

        const summary = Effect.fnUntraced(function* (runId: string) {
          const peek = yield* provide(readJournalSummary(pathOf(runId)))
          if (peek === undefined) return { runId, standing: "unreadable", bytes: 0 } satisfies RunSummary
          const { bytes, opened, startedAt, status } = peek
          const held = status === undefined ? yield* holder(runId) : undefined
          const standing: RunStanding = held !== undefined ? "running" : isStatus(status) ? status : "unfinished"
          const { model } = opened.settings
          const found: RunSummary = {
            runId,
            standing,
            startedAt,
            project: opened.project,
            prompt: opened.order.prompt,
            bytes,
            ...(model === undefined ? {} : { model }),
            ...(held === undefined ? {} : { pid: held.pid })
          }
          return found
        })

        return RunStore.of({
          list: Effect.flatMap(ids, (all) => Effect.forEach(all, summary, { concurrency: 8 })),
          find: (given) => Effect.flatMap(ids, (all) => chooseRun(given, all)),
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
