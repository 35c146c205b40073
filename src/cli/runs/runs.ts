/** Implements `task-conductor runs`, which lists and removes saved runs and repairs damaged journals. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Terminal from "effect/Terminal"
import { counted } from "../../domain/text/Format.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { printable } from "../../domain/text/Printable.ts"
import { layerRuns } from "../../app/savedRuns.ts"
import { startOfRun } from "../../services/runs/RunId.ts"
import type { RunSummary } from "../../domain/history/RunOverview.ts"
import { runsOf, RunStore } from "../../services/history/RunStore.ts"
import { repairJournal } from "../../services/history/JournalRepair.ts"
import { layerSharedStore, loadSharedRuns } from "../run/sharedRuns.ts"
import { noPagerFlag, showLong } from "./Pager.ts"
import { type ListStyle, runLines } from "./runList.ts"
import { exitCodes, quietFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import { switchFlag, withHelp } from "../terminal/Flags.ts"

export const storeOf = (isCluster: boolean) => (isCluster ? layerSharedStore : layerRuns)

const json = (what: string) => switchFlag("json", `Print ${what} as JSON`)

export const clusterFlag = switchFlag(
  "cluster",
  "Use the runs in the database in TASK_CONDUCTOR_DATABASE instead of those of this machine"
)

const sizeText = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`

/**
 * The start time of a run, in ISO 8601. If unknown, the time in the run's id, or else an empty text, which sorts first.
 */
const begunAt = ({ runId, startedAt }: RunSummary): string => {
  const start = startOfRun(runId)
  return startedAt ?? (start === undefined ? "" : DateTime.formatIso(DateTime.makeUnsafe(start)))
}

/** Reports runs that could not be removed, and fails if there are any. */
const reportKept = Effect.fnUntraced(function* (failures: ReadonlyArray<{ readonly message: string }>) {
  const { emit } = yield* Output
  for (const { message } of failures) yield* emit(printable(message))
  if (failures.length > 0) return yield* quietFailure(exitCodes.failed)
})

const deletion = Command.make(
  "delete",
  {
    run: Argument.String("RUN").pipe(
      Argument.withDescription("The ids of runs, the beginnings of ids, or last"),
      Argument.variadic({ min: 1 })
    ),
    cluster: clusterFlag,
    json: json("the ids of the removed runs")
  },
  Effect.fn("runs delete")(function* (flags) {
    const { emit, result } = yield* Output
    const [removed, failures] = yield* Effect.gen(function* () {
      const store = yield* RunStore
      /* Looks up all names first, so that an unknown name removes nothing. */
      const ids = new Set(yield* Effect.forEach(flags.run, (one) => store.find(one)))
      const remove = Effect.fnUntraced(function* (runId: string) {
        if (yield* store.remove(runId)) return runId
        const holder = yield* store.holder(runId)
        const process = holder === undefined ? "" : ` (pid ${holder.pid})`
        return yield* Effect.fail({
          message: `The run ${runId} is still working${process} and was not removed. Stop it first.`
        })
      })
      return yield* Effect.partition(ids, remove)
    }).pipe(Effect.provide(storeOf(flags.cluster)))
    if (flags.json) yield* result(outputJson(removed))
    else for (const runId of removed) yield* emit(`Removed the run ${runId}, with its undo data.`)
    yield* reportKept(failures)
  })
).pipe(
  withHelp("Remove runs with all their saved data, including undo data. Active runs are not removed", {
    "task-conductor runs delete 20261120-183000-k3x9": "Remove one run",
    "task-conductor runs delete 20261119 20261120-1830 --json": "Remove two runs by the beginnings of their ids"
  })
)

const prune = Command.make(
  "prune",
  {
    olderThan: Flag.Int("older-than").pipe(
      Flag.filter(
        (days) => days >= 0 && days <= 100_000,
        () => "a whole number of days, such as 30"
      ),
      Flag.withMetavar("DAYS"),
      Flag.withDescription("Remove runs that started more than this many days ago: --older-than 30")
    ),
    cluster: clusterFlag,
    json: json("the ids of the removed runs")
  },
  Effect.fn("runs prune")(function* (flags) {
    const { emit, result } = yield* Output
    const before = DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { days: flags.olderThan }))
    /* Active runs are not removed. */
    const [outcomes, failures] = yield* RunStore.use(({ list, remove }) =>
      Effect.flatMap(list, (all) =>
        Effect.partition(
          all.filter((one) => begunAt(one) < before),
          (one) => Effect.map(remove(one.runId), (isRemoved) => (isRemoved ? [one] : []))
        )
      )
    ).pipe(Effect.provide(storeOf(flags.cluster)))
    const removed = outcomes.flat()
    if (flags.json) yield* result(outputJson(removed.map(({ runId }) => runId)))
    else {
      const bytes = removed.reduce((sum, one) => sum + one.bytes, 0)
      yield* emit(`Removed ${counted(removed.length, "run")}, ${sizeText(bytes)}.`)
    }
    yield* reportKept(failures)
  })
).pipe(
  withHelp("Remove old runs with all their saved data, also those that cannot be read. Active runs are never removed", {
    "task-conductor runs prune --older-than 30": "Keep the runs of the last 30 days"
  })
)

const mostNamed = 10

/** The warning that the resumed run may repeat actions whose records the journal lost. */
const doneAgain = (effects: ReadonlyArray<string>): string => {
  const what = "When the run is resumed, it may repeat what the moved records contain."
  if (effects.length === 0) return `${what} Look at the project first.`
  const more = effects.length > mostNamed ? ` and ${effects.length - mostNamed} more` : ""
  return `${what} Among it are these calls: ${printable(effects.slice(0, mostNamed).join(", "))}${more}. Look at what they changed first.`
}

const repair = Command.make(
  "repair",
  { run: Argument.String("RUN").pipe(Argument.withDescription("The id of the run, the beginning of an id, or last")) },
  Effect.fn("runs repair")(function* (flags) {
    const { emit, emitPaint } = yield* Output
    const store = yield* RunStore
    const runId = yield* store.find(flags.run)
    const repaired = yield* repairJournal(store.pathOf(runId))
    if (repaired === undefined) return yield* emit(`The journal of ${runId} is intact. Nothing was changed.`)
    const { bytes, effects, intact, quarantine } = repaired
    yield* emit(
      `The first ${intact} records are intact and stay in the journal. The ${bytes} bytes from line ${intact + 1} on were moved to ${quarantine}.`
    )
    yield* emit(
      `${emitPaint.yellow("warning")}: ${doneAgain(effects)} Then resume the run: task-conductor resume ${runId}`
    )
  }, Effect.provide(layerRuns))
).pipe(
  withHelp("Move the damaged part of a journal aside, so that its run can be resumed from the intact part", {
    "task-conductor runs repair last": "Repair the newest run"
  })
)

/** How many runs other projects have, and how to list them. */
const othersText = (others: number, isAlone: boolean): string => {
  const runs = others === 1 ? "There is 1 run" : `There are ${others} runs`
  return `${isAlone ? "There are no runs of this project yet. " : ""}${runs} of other projects: task-conductor runs --all`
}

export const runs = Command.make(
  "runs",
  {
    all: switchFlag("all", "Also list the runs of other projects, after those of this one"),
    cluster: clusterFlag,
    noPager: noPagerFlag,
    json: json("the runs of all projects")
  },
  Effect.fn("runs")(function* (flags) {
    const { emit, isWatched, result, resultPaint } = yield* Output
    const path = yield* Path.Path
    const summaries = yield* Effect.provide(
      RunStore.use((store) => store.list),
      storeOf(flags.cluster)
    )
    if (flags.json) return yield* result(outputJson(summaries, 2))
    if (flags.cluster) {
      const { workers } = yield* loadSharedRuns
      const lines = yield* workers
      yield* emit(lines.length === 0 ? "No worker was seen today." : lines.join("\n"))
    }
    if (summaries.length === 0) return yield* emit("There are no runs yet.")
    const { others, own: ownRuns } = flags.cluster
      ? { own: summaries, others: [] }
      : yield* runsOf(summaries, path.resolve())
    const columns = yield* Effect.flatMap(Terminal.Terminal, (terminal) => terminal.columns)
    const style: ListStyle = {
      paint: resultPaint,
      columns: isWatched && columns > 0 ? columns : undefined,
      now: DateTime.toDateUtc(yield* DateTime.now),
      withProject: flags.cluster
    }
    const lines = [
      ...ownRuns.map((one) => runLines(one, style)),
      ...(flags.all ? others.map((one) => runLines(one, { ...style, withProject: true })) : [])
    ]
    if (lines.length > 0) yield* showLong(lines.join("\n"), { noPager: flags.noPager, print: result })
    if (!flags.all && others.length > 0) yield* emit(othersText(others.length, ownRuns.length === 0))
  })
).pipe(
  withHelp("List the saved runs of this project, newest first", {
    "task-conductor runs": "Status, tasks, time and model of each run",
    "task-conductor runs --all": "Also the runs of other projects"
  }),
  Command.withSubcommands([deletion, prune, repair])
)
