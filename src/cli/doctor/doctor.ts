/**
 * `task-conductor doctor`: looks at what a run needs, and says what to do about what is missing.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { runFlags } from "../run/runFlags.ts"

/** The command. */
export const doctor = Command.make(
  "doctor",
  {
    project: runFlags.project,
    model: runFlags.model,
    cluster: Flag.Boolean("cluster").pipe(
      Flag.withDescription("Look at what run --cluster needs instead: the database, TLS, and the workers"),
      Flag.withDefault(false)
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print one JSON object with all findings"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("doctor")(function* (given) {
    const { showDiagnosis } = yield* Effect.promise(() => import("./doctorHandler.ts"))
    yield* showDiagnosis(given)
  })
).pipe(
  Command.withDescription(
    "Look at what a run needs: configuration, server, model, window, sandbox, folders, terminal. Each line is ok, a note or a problem with what to do. Exit code 0 when a run can start, else 1"
  ),
  Command.withShortDescription("Check this machine and say what is missing"),
  Command.withExamples([
    { command: "task-conductor doctor", description: "Check everything in the current folder" },
    { command: "task-conductor doctor --cluster", description: "Check the database and the workers" },
    { command: "task-conductor doctor --model qwen3:8b --json", description: "Check with this model, for a script" }
  ])
)
