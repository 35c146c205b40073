/**
 * `task-conductor show RUN`: what a run planned, did and found, and with `--task` what one task saw and said.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Clock from "effect/Clock"
import { TaskEvidence } from "../../domain/history/RunEvidence.ts"
import { readRun, readTask } from "../../app/savedRuns.ts"
import { overviewEvents, RunOverview, runOverview } from "../../domain/history/RunOverview.ts"
import { usageFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import { clusterFlag, storeOf } from "./runs.ts"
import { noPagerFlag, showLong } from "./Pager.ts"
import { evidenceText, overviewText, wrappedText, taskText } from "./showText.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { harmless, printable } from "../../domain/text/Printable.ts"
import { withHelp } from "../terminal/Flags.ts"

/** What a run planned, did and found. */
const overviewOf = (run: string, isCluster: boolean) =>
  readRun(run, undefined, ({ event }) => overviewEvents.has(event)).pipe(
    Effect.map(({ head, leftOut, records }) => ({ leftOut, overview: runOverview(records, head) })),
    Effect.provide(storeOf(isCluster))
  )

/** What one task of a run saw, said, called and found. */
const evidenceOf = (run: string, task: string, isCluster: boolean) =>
  Effect.provide(readTask(run, task), storeOf(isCluster))

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
        'Show one task: what it was for, what was found, what was called, which files: --task "Research 1"'
      ),
      Flag.optional
    ),
    prompts: Flag.Boolean("prompts").pipe(
      Flag.withDescription("With --task: also the prompts, the answers, and all that was called and returned"),
      Flag.withDefault(false)
    ),
    cluster: clusterFlag,
    noPager: noPagerFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object"), Flag.withDefault(false))
  },
  Effect.fn("show")(function* (given) {
    const { answer, emit, isWatched, result, resultColumns } = yield* Output
    /* The pager writes to the terminal itself. */
    const print = (text: string) =>
      showLong(isWatched ? harmless(text) : text, { noPager: given.noPager, print: answer })
    if (given.prompts && Option.isNone(given.task)) {
      return yield* usageFailure('--prompts shows those of one task. Name it: --task "Search 1".')
    }
    const reportLeftOut = (what: string | undefined) =>
      what === undefined ? Effect.void : emit(`note: ${printable(what)}`)
    if (Option.isNone(given.task)) {
      const { leftOut, overview } = yield* overviewOf(given.run, given.cluster)
      yield* reportLeftOut(leftOut)
      if (given.json) return yield* result(json(RunOverview, overview))
      const now = new Date(yield* Clock.currentTimeMillis)
      return yield* print(wrappedText(overviewText(overview, now), resultColumns()))
    }
    const { evidence, leftOut, project } = yield* evidenceOf(given.run, given.task.value, given.cluster)
    yield* reportLeftOut(leftOut)
    if (given.json) return yield* result(json(TaskEvidence, evidence))
    yield* print(given.prompts ? evidenceText(evidence) : wrappedText(taskText(evidence, project), resultColumns()))
  })
).pipe(
  withHelp("Show the plan, the tasks and the answer of a run, or the evidence of one task", {
    "task-conductor show last": "Show plan, results and answer of the newest run of this project",
    'task-conductor show last --task "Search 1"': "Show what it was for, what it found, its calls and its files"
  })
)
