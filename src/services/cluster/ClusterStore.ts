/**
 * The runs in the database of a cluster, as a store of runs.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ClusterRunEnding } from "../../domain/journal/JournalRecord.ts"
import type { DatabaseUnavailable } from "./DatabaseSettings.ts"
import { ClusterRuns, type ClusterRunState } from "./ClusterRuns.ts"
import { JournalError } from "../journal/JournalError.ts"
import type { JournalLine } from "../journal/JournalLine.ts"
import type { RunStanding, RunSummary } from "../../domain/history/RunOverview.ts"
import { chooseRun, RunStore } from "../history/RunStore.ts"

const standingOf = (ending: ClusterRunEnding | undefined): RunStanding => {
  if (ending === undefined) return "running"
  return "refused" in ending ? "failed" : ending.status
}

const summaryOf = ({ begunAt, bytes, ending, run }: ClusterRunState): RunSummary => {
  const { order, project, settings } = run.opened
  return {
    runId: order.runId,
    standing: standingOf(ending),
    startedAt: begunAt,
    project,
    prompt: order.prompt,
    bytes,
    model: settings.model
  }
}

const pathOf = (runId: string): string => `of the run ${runId} in the database`

const unread = (runId: string) => (error: DatabaseUnavailable) =>
  new JournalError({ path: pathOf(runId), reason: { _tag: "DatabaseFailed", what: error.what } })

/** The store over the database. */
export const layerClusterStore = Layer.effect(
  RunStore,
  Effect.map(ClusterRuns, (runs) => {
    const list = Effect.orDie(runs.list)

    const linesOf = Effect.fnUntraced(function* (runId: string) {
      const lines: Array<JournalLine> = []
      for (;;) {
        const more = yield* runs.after(runId, lines.at(-1)?.seq ?? 0)
        if (more.length === 0) return lines
        lines.push(...more)
      }
    })

    return RunStore.of({
      list: Effect.map(list, (all) => all.map(summaryOf)),
      find: (given) =>
        Effect.flatMap(list, (all) =>
          chooseRun(
            given,
            all.map(({ run }) => run.opened.order.runId)
          )
        ),
      read: Effect.fn("ClusterStore.read")(function* (runId) {
        const standing = yield* Effect.mapError(runs.standing(runId), unread(runId))
        if (standing === undefined) {
          return yield* new JournalError({ path: pathOf(runId), reason: { _tag: "Missing" } })
        }
        const lines = yield* Effect.mapError(linesOf(runId), unread(runId))
        return { opened: standing.run.opened, lines, size: standing.bytes, torn: new Uint8Array(), badEnds: [] }
      }),
      pathOf,
      holder: () => Effect.undefined,
      remove: (runId) => Effect.orDie(runs.remove(runId))
    })
  })
)
