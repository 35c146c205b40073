/**
 * `task-conductor cancel RUN`: cancels a cluster run.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { clusterRunArgument } from "./attach.ts"
import { quietFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"

/** The command. */
export const cancel = Command.make(
  "cancel",
  { run: clusterRunArgument },
  Effect.fn("cancel")(function* ({ run }) {
    const { tell } = yield* Output
    const { cancelClusterRun } = yield* Effect.promise(() => import("./clusterHandler.ts"))
    const { isCancelled, runId } = yield* cancelClusterRun(run)
    if (isCancelled) return yield* tell(`The workers stop the run ${runId}. Finished work is saved.`)
    yield* tell(`The run ${runId} had already ended.`)
    return yield* quietFailure(1)
  })
).pipe(
  Command.withDescription("Cancel a run on the workers. TASK_CONDUCTOR_DATABASE names the database"),
  Command.withShortDescription("Cancel a run on the workers"),
  Command.withExamples([
    {
      command: "task-conductor cancel 20261120-183000-k3x9",
      description: "Cancel a run; its workers stop within seconds"
    }
  ])
)
