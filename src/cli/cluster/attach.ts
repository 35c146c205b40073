/**
 * `task-conductor attach RUN`: follows a cluster run, and answers its questions.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { outcomeFlags } from "../run/runFlags.ts"
import { endWithReport, eventSink } from "../terminal/outcome.ts"

/** The run that is meant, among those in the database. */
export const clusterRunArgument = Argument.String("RUN").pipe(
  Argument.withDescription('The id of the run, the beginning of an id, or "last"; see "task-conductor runs --cluster"')
)

/** The command. */
export const attach = Command.make(
  "attach",
  { run: clusterRunArgument, json: outcomeFlags.json, plain: outcomeFlags.plain, verbose: outcomeFlags.verbose },
  Effect.fn("attach")(function* ({ run, ...given }) {
    const { attachClusterRun } = yield* Effect.promise(() => import("./clusterHandler.ts"))
    const style = { ...given, isClusterRun: true }
    const sink = yield* eventSink(style)
    yield* endWithReport(yield* attachClusterRun(run, sink), { ...style, sink })
  })
).pipe(
  Command.withDescription(
    "Follow a run on the workers from its beginning, and answer its questions. TASK_CONDUCTOR_DATABASE names the database"
  ),
  Command.withShortDescription("Follow a run on the workers"),
  Command.withExamples([{ command: "task-conductor attach last", description: "Follow the newest run" }])
)
