/**
 * `task-conductor worker`: works on runs that clients put into a database.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { modelFlags } from "../run/modelFlags.ts"
import { flagConfiguration, runFlags } from "../run/runFlags.ts"

const { allow, deny, model, parallel, plugin } = runFlags

/** The command. */
export const worker = Command.make(
  "worker",
  { allow, deny, model, parallel, plugin, ...modelFlags },
  Effect.fn("worker")(function* (given) {
    const { startWorker } = yield* Effect.promise(() => import("./clusterHandler.ts"))
    return yield* startWorker(flagConfiguration(given))
  })
).pipe(
  Command.withDescription(
    "Work on runs that were started with --cluster, with the model server, the rules and the tools of this machine. Workers can be started at any time: a part of the work moves to a worker that joins, as soon as the calls in it that are under way have ended. TASK_CONDUCTOR_DATABASE names the database. A worker that cannot go on ends with exit code 1, so let something start it again, such as systemd with Restart=on-failure: docs/several-machines.md has examples"
  ),
  Command.withShortDescription("Work on runs that were started with --cluster"),
  Command.withExamples([
    {
      command: "OLLAMA_HOST=gpu-2:11434 task-conductor worker --parallel 4",
      description: "Work on runs with the model server of another machine"
    }
  ])
)
