/**
 * `task-conductor show RUN`: what a run planned, did and found, and with `--task` what one task saw and said.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { RunOverview, TaskEvidence } from "../../domain/history/RunEvidence.ts"
import { Output } from "../terminal/Output.ts"
import { clusterFlag } from "./runs.ts"
import { evidenceText, overviewText } from "./showText.ts"
import { outputJson } from "../../domain/text/JsonNames.ts"
import { printable } from "../../domain/text/Printable.ts"

const json = <A>(schema: Schema.Codec<A, unknown>, value: A): string =>
  outputJson(Schema.encodeSync(Schema.toCodecJson(schema))(value), 2)

/** The command. */
export const show = Command.make(
  "show",
  {
    run: Argument.String("RUN").pipe(
      Argument.withDescription('The id of the run, the beginning of an id, or "last"; see "task-conductor runs"')
    ),
    task: Flag.String("task").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription(
        'Show the evidence of this task: references, prompts, answers, calls, result: --task "Research 1"'
      ),
      Flag.optional
    ),
    cluster: clusterFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object"), Flag.withDefault(false))
  },
  Effect.fn("show")(function* (given) {
    const { answer, result, tell } = yield* Output
    const tellLeftOut = (what: string | undefined) =>
      what === undefined ? Effect.void : tell(`note: ${printable(what)}`)
    const { printRun, printTask } = yield* Effect.promise(() => import("./runsHandler.ts"))
    if (Option.isNone(given.task)) {
      const { leftOut, overview, runId } = yield* printRun(given.run, given.cluster)
      yield* tellLeftOut(leftOut)
      return yield* given.json ? result(json(RunOverview, overview)) : answer(overviewText(runId, overview))
    }
    const { evidence, leftOut } = yield* printTask(given.run, given.task.value, given.cluster)
    yield* tellLeftOut(leftOut)
    yield* given.json ? result(json(TaskEvidence, evidence)) : answer(evidenceText(evidence))
  })
).pipe(
  Command.withDescription("Show the plan, the tasks and the answer of a run, or the evidence of one task"),
  Command.withExamples([
    { command: "task-conductor show last", description: "Show plan, results and answer of the newest run" },
    {
      command: 'task-conductor show last --task "Search 1"',
      description: "Show its references, prompts, answers, issues, calls and result"
    }
  ])
)
