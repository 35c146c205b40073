/**
 * The commands `task-conductor attach`, `cancel` and `worker`.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import {
  approvalFlags,
  flagConfiguration,
  layerTerminal,
  modelFlags,
  outcomeFlags,
  Output,
  quietFailure,
  runFlags,
  showSharedRun,
  withHelp
} from "../../kit/terminal.ts"
import { printable } from "../../kit/text.ts"
import { Approver } from "../../plugin-kit.ts"
import { cancelRun, layerClusterRuns } from "./clusterClient.ts"
import { withNotices } from "./DatabaseErrors.ts"
import { runWorker } from "./worker.ts"

const clusterRunArgument = Argument.String("RUN").pipe(
  Argument.withDescription('The id of the run, the beginning of an id, or "last"; see "task-conductor runs --cluster"')
)

export const attach = Command.make(
  "attach",
  {
    run: clusterRunArgument,
    yes: approvalFlags.yes,
    json: outcomeFlags.json,
    plain: outcomeFlags.plain,
    verbose: outcomeFlags.verbose
  },
  Effect.fn("attach")(function* ({ run, yes, ...given }) {
    const approver = yes ? Approver.layerYes(layerTerminal()) : layerTerminal()
    yield* showSharedRun({ ...given, yes, yesThisRun: false }, { type: "attach", runId: run }, approver)
  })
).pipe(
  withHelp(
    "Follow a run on the workers from its beginning, and answer its questions. TASK_CONDUCTOR_DATABASE names the database",
    {
      "task-conductor attach last": "Follow the newest run",
      "task-conductor attach last --yes": "Follow it, and approve what it asks"
    }
  )
)

export const cancel = Command.make(
  "cancel",
  { run: clusterRunArgument },
  Effect.fn("cancel")(function* ({ run }) {
    const { emit } = yield* Output
    const { isCancelled, runId } = yield* cancelRun(run).pipe(Effect.provide(layerClusterRuns()), withNotices(emit))
    if (isCancelled) return yield* emit(`The workers stop the run ${runId}. Finished work is saved.`)
    yield* emit(`The run ${runId} had already ended.`)
    return yield* quietFailure(1)
  })
).pipe(
  withHelp("Cancel a run on the workers. TASK_CONDUCTOR_DATABASE names the database", {
    "task-conductor cancel 20261120-183000-k3x9": "Cancel a run; its workers stop within seconds"
  })
)

const { allow, deny, model, parallel, plugin } = runFlags

export const worker = Command.make(
  "worker",
  { allow, deny, model, parallel, plugin, ...modelFlags },
  Effect.fn("worker")(function* (flags) {
    const { emit } = yield* Output
    return yield* runWorker({
      flags: flagConfiguration(flags),
      report: (what) => emit(printable(what)),
      ready: emit("The worker is ready for runs. Ctrl-C stops it; other workers then continue its work.")
    })
  })
).pipe(
  withHelp(
    "Work on runs that were started with --cluster, with the model server, the rules and the tools of this machine. Workers can be started at any time: each takes work that is free. TASK_CONDUCTOR_DATABASE names the database. A worker that cannot go on ends with exit code 1, so let something start it again, such as systemd with Restart=on-failure: docs/reference/several-machines.md has examples",
    {
      "OLLAMA_HOST=gpu-2:11434 task-conductor worker --parallel 4":
        "Work on runs with the model server of another machine"
    }
  )
)
