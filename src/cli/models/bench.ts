/**
 * `task-conductor models bench [NAME...]`: tries models on a small set of tasks, and recommends one for each stage.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { modelFlags } from "../run/modelFlags.ts"

/** The command. */
export const bench = Command.make(
  "bench",
  {
    names: Argument.String("NAME").pipe(
      Argument.withDescription("The models to try. Default: all of the server that write text and are not forwarded"),
      Argument.variadic()
    ),
    ...modelFlags,
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print one JSON object: a score for each model, and the recommendation"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("models bench")(function* (given) {
    const { compareModels } = yield* Effect.promise(() => import("./benchHandler.ts"))
    yield* compareModels(given)
  })
).pipe(
  Command.withDescription(
    "Try models on a small set of tasks that comes with the program: three plans, and one plan that is carried out. Says how many documents were valid at which attempt, which rules were broken most, and how fast each stage was, and recommends a model for each stage. Works in a temporary project; takes minutes for each model"
  ),
  Command.withShortDescription("Try models and recommend one for each stage"),
  Command.withExamples([
    { command: "task-conductor models bench", description: "Try all models of the server" },
    { command: "task-conductor models bench qwen3:8b llama3.2:3b --json", description: "Compare two, for a script" }
  ])
)
