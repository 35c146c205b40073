/**
 * `task-conductor refine PLAN --task NAME`: refines one task of a plan and prints its refinement.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { progressSink } from "../terminal/LineSink.ts"
import { runFlags } from "./runFlags.ts"
import { readPlanStage, readStage, stageFlags } from "./stageFlags.ts"

/** The command. */
export const refine = Command.make(
  "refine",
  {
    plan: Argument.String("PLAN").pipe(Argument.withDescription("The file of the task list; - is stdin")),
    task: Flag.String("task").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription('The task to refine: --task "Research 1"')
    ),
    file: runFlags.file,
    ...stageFlags
  },
  Effect.fn("refine")(function* (given) {
    const { json, printPrompt, task } = given
    const { place, results } = yield* readStage(given)
    const order = { stage: "refine" as const, task, results, ...(yield* readPlanStage(given)) }
    const ports = { sink: yield* progressSink(given.verbose, { isPlain: given.plain }), approveSteps: false }
    const { printRefinement } = yield* Effect.promise(() => import("./stageHandler.ts"))
    yield* printRefinement({ order, place, json, printPrompt }, ports)
  })
).pipe(
  Command.withDescription("Refine one task of a plan into tool calls, check them, and print them. Changes nothing"),
  Command.withShortDescription("Print the refinement of one task of a plan"),
  Command.withExamples([
    {
      command: 'task-conductor refine plan.md --task "Research 1" > research-1.refinement.md',
      description: "Write a refinement to a file"
    },
    {
      command: 'task-conductor refine plan.md --task "Sum 1" --result results --print-prompt',
      description: "Show the prompt of a task that refers to results"
    }
  ])
)
