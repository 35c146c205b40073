/**
 * `task-conductor models`: what the server has; `models bench` compares it.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { bench } from "./bench.ts"

/** The command. */
export const models = Command.make(
  "models",
  {
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print a JSON array: name, size, abilities, windows"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("models")(function* (given) {
    const { listModels } = yield* Effect.promise(() => import("./modelsHandler.ts"))
    yield* listModels(given)
  })
).pipe(
  Command.withDescription("List the models of the server: size, largest context window, what each can do"),
  Command.withShortDescription("List the models of the server, or compare them"),
  Command.withExamples([{ command: "task-conductor models", description: "Names, sizes, windows, abilities" }]),
  Command.withSubcommands([bench])
)
