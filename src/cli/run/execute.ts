/**
 * `task-conductor execute REFINEMENT`: makes the calls of a refinement and prints the result of its task.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { progressSink } from "../terminal/LineSink.ts"
import { readInput } from "../terminal/Input.ts"
import { approvalFlags, approvedBeforehand } from "./runFlags.ts"
import { readStage, stageFlags } from "./stageFlags.ts"

/** The command. */
export const execute = Command.make(
  "execute",
  {
    refinement: Argument.String("REFINEMENT").pipe(Argument.withDescription("The file of the refinement; - is stdin")),
    ...approvalFlags,
    ...stageFlags
  },
  Effect.fn("execute")(function* (given) {
    const { json, printPrompt } = given
    const { place, results } = yield* readStage(given)
    const order = { stage: "execute" as const, refinement: yield* readInput(given.refinement), results }
    const ports = { sink: yield* progressSink(given.verbose, { isPlain: given.plain }), ...approvedBeforehand(given) }
    const { printExecution } = yield* Effect.promise(() => import("./stageHandler.ts"))
    yield* printExecution({ order, place, json, printPrompt }, ports)
  })
).pipe(
  Command.withDescription(
    "Make the calls of a refinement, asking what a run would ask, and print the result. With --print-prompt the calls are made too"
  ),
  Command.withShortDescription("Carry out a refinement and print its result"),
  Command.withExamples([
    {
      command: "task-conductor execute research-1.refinement.md --allow read_file > results/research-1.md",
      description: "Write a result to a file"
    }
  ])
)
