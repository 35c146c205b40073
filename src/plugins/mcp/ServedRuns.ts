/** The runs that a client may read and undo. These are only runs of the served project. */
import * as Effect from "effect/Effect"
import { RunStore, runsOf } from "../../kit/runs.ts"
import { usageFailure } from "../../kit/terminal.ts"

/**
 * Finds a run by its id, by the beginning of its id, or by `last` for the newest run of the served project. Fails for a
 * run of another project.
 */
export const servedRun = Effect.fn("servedRun")(function* (name: string, project: string) {
  const store = yield* RunStore
  const { here, own: ownRuns } = yield* runsOf(yield* store.list, project)
  const runId = name === "last" ? ownRuns[0]?.runId : yield* store.find(name)
  if (runId === undefined) return yield* usageFailure(`The project that is served here, ${here}, has no runs yet.`)
  if (ownRuns.some((run) => run.runId === runId)) return runId
  /* If the journal of a run cannot be read, the project of the run is unknown. This line then fails with the reason. */
  yield* store.read(runId)
  return yield* usageFailure(`The run ${runId} belongs to another project than the one that is served here, ${here}.`)
})
