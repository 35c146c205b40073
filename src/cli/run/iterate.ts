/**
 * `task-conductor iterate PLAN`: asks which tasks of a plan are still to do after some results.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { progressSink } from "../terminal/LineSink.ts"
import { runFlags } from "./runFlags.ts"
import { readPlanStage, readStage, stageFlags } from "./stageFlags.ts"

/** The command. */
export const iterate = Command.make(
  "iterate",
  {
    plan: Argument.String("PLAN").pipe(Argument.withDescription("The file of the task list; - is stdin")),
    file: runFlags.file,
    ...stageFlags
  },
  Effect.fn("iterate")(function* (given) {
    const { json, printPrompt } = given
    const { place, results } = yield* readStage(given)
    const order = { stage: "iterate" as const, results, ...(yield* readPlanStage(given)) }
    const ports = { sink: yield* progressSink(given.verbose, { isPlain: given.plain }), approveSteps: false }
    const { printIteration } = yield* Effect.promise(() => import("./stageHandler.ts"))
    yield* printIteration({ order, place, json, printPrompt }, ports)
  })
).pipe(
  Command.withDescription(
    "Ask which tasks are still to do after some results, and print them as a task list. Changes nothing"
  ),
  Command.withShortDescription("Print the tasks that are left after some results"),
  Command.withExamples([
    {
      command: "task-conductor iterate plan.md --result results > next.md",
      description: "Write what is left to a file"
    }
  ])
)
