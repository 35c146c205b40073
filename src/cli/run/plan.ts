/**
 * `task-conductor plan PROMPT`: makes a task list, checks it and prints it.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { switchFlag } from "../terminal/Flags.ts"
import { checkDocument } from "../../domain/documents/CheckReport.ts"
import { progressSink } from "../terminal/LineSink.ts"
import { plainFlag, verboseFlag, flagConfiguration, orderFiles, readPrompt, runFlags } from "./runFlags.ts"
import { Output } from "../terminal/Output.ts"
import { attachFlag, readAttachment } from "./answerFlags.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { planPrompt } from "./runHandler.ts"

/** The command. */
export const plan = Command.make(
  "plan",
  {
    ...runFlags,
    ...attachFlag,
    json: switchFlag("json", "Print one JSON object: the list as markdown and in the form of check --json"),
    plain: plainFlag,
    verbose: verboseFlag
  },
  Effect.fn("plan")(function* (given) {
    const { answer, result } = yield* Output
    const prompt = yield* readPrompt(given)
    const flags = flagConfiguration(given)
    const order = { prompt, ...orderFiles(given), ...(yield* readAttachment(given)) }
    const ports = { sink: yield* progressSink(given.verbose, { isPlain: given.plain }), approveSteps: false }
    const { markdown } = yield* planPrompt({ project: given.project, flags, order }, ports)
    if (!given.json) return yield* answer(markdown)
    yield* result(outputJson({ markdown, ...checkDocument("task-list", markdown) }))
  })
).pipe(
  Command.withDescription("Make a task list for a prompt, check it, and print it. Run it with run --plan"),
  Command.withShortDescription("Print the checked task list for a prompt"),
  Command.withExamples([
    { command: 'task-conductor plan "Find dead code" > plan.md', description: "Write a plan to a file" },
    { command: 'task-conductor plan --model qwen3:8b --json "Find dead code"', description: "Print a plan as JSON" }
  ])
)
