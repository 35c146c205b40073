/** The runs of the served project, which a client may read and undo. */
import * as Effect from "effect/Effect"
import { RunStore, runsOf } from "../../kit/runs.ts"
import { usageFailure } from "../../kit/terminal.ts"

/**
 * Finds a run of the served project by its id, the id's beginning, or `last` for the newest. Fails for a run of another
 * project.
 */
export const servedRun = Effect.fn("servedRun")(function* (name: string, project: string) {
  const store = yield* RunStore
  const { here, own: ownRuns } = yield* runsOf(yield* store.list, project)
  const runId = name === "last" ? ownRuns[0]?.runId : yield* store.find(name)
  if (runId === undefined) return yield* usageFailure(`The project that is served here, ${here}, has no runs yet.`)
  if (ownRuns.some((run) => run.runId === runId)) return runId
  /* Fails with the reason if the journal cannot be read, because the run's project is then unknown. */
  yield* store.read(runId)
  return yield* usageFailure(`The run ${runId} belongs to another project than the one that is served here, ${here}.`)
})
