/**
 * `task-conductor show RUN`: what a run planned, did and found, and with `--task` what one task saw and said.
 */
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
import { runArgument, switchFlag, textFlag, withHelp } from "../terminal/Flags.ts"

const json = <A>(schema: Schema.Codec<A, unknown>, value: A): string =>
  outputJson(Schema.encodeSync(Schema.toCodecJson(schema))(value), 2)

/** The command. */
export const show = Command.make(
  "show",
  {
    run: runArgument,
    task: textFlag(
      "task",
      "NAME",
      'Show one task: what it was for, what was found, what was called, which files: --task "Research 1"'
    ).pipe(Flag.optional),
    prompts: switchFlag("prompts", "With --task: also the prompts, the answers, and all that was called and returned"),
    cluster: clusterFlag,
    noPager: noPagerFlag,
    json: switchFlag("json", "Print one JSON object")
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
      const { head, leftOut, records } = yield* Effect.provide(
        readRun(given.run, undefined, ({ event }) => overviewEvents.has(event)),
        storeOf(given.cluster)
      )
      const overview = runOverview(records, head)
      yield* reportLeftOut(leftOut)
      if (given.json) return yield* result(json(RunOverview, overview))
      const now = new Date(yield* Clock.currentTimeMillis)
      return yield* print(wrappedText(overviewText(overview, now), resultColumns()))
    }
    const { evidence, leftOut, project } = yield* Effect.provide(
      readTask(given.run, given.task.value),
      storeOf(given.cluster)
    )
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
