/**
 * The runs that a client of the server may look at and undo: those of the served project.
 */
import * as Effect from "effect/Effect"
import { RunStore, runsOf } from "../../kit/runs.ts"
import { usageFailure } from "../../kit/terminal.ts"

/**
 * The id of the run that is meant: an id, its beginning, or `last`, which is the newest of the served project. Fails for a run
 * of another project, whatever its id.
 */
export const servedRun = Effect.fn("servedRun")(function* (name: string, project: string) {
  const store = yield* RunStore
  const { here, own } = yield* runsOf(yield* store.list, project)
  const runId = name === "last" ? own[0]?.runId : yield* store.find(name)
  if (runId === undefined) return yield* usageFailure(`The project that is served here, ${here}, has no runs yet.`)
  if (own.some((run) => run.runId === runId)) return runId
  /* A journal that cannot be read says so itself. */
  yield* store.read(runId)
  return yield* usageFailure(`The run ${runId} belongs to another project than the one that is served here, ${here}.`)
})
