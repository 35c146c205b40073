/** `task-conductor replay RUN`: replays a run from its journal, and shows the first difference. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { build } from "../../kit/program.ts"
import { isOtherBuild } from "../../kit/runs.ts"
import {
  clusterFlag,
  exitCodes,
  Output,
  quietFailure,
  runArgument,
  storeOf,
  switchFlag,
  withHelp
} from "../../kit/terminal.ts"
import { outputJson, printable } from "../../kit/text.ts"
import { replayRun } from "./replaySaved.ts"
import type { RunDifference } from "./RunDifference.ts"

/** Some text around the first difference. */
const around = (text: string, at: number): string => {
  const start = Math.max(0, at - 40)
  return `${start > 0 ? "..." : ""}${text.slice(start, start + 160)}${text.length > start + 160 ? "..." : ""}`
}

const differenceText = ({ about, before, now }: RunDifference): string => {
  if (before === undefined && now === undefined) return about
  if (before === undefined) return `${about}: is not in the saved run`
  if (now === undefined) return `${about}: is not in the replay`
  let at = 0
  while (at < before.length && before[at] === now[at]) at += 1
  return `${about}\n  then: ${printable(around(before, at))}\n  now:  ${printable(around(now, at))}`
}

export const replay = Command.make(
  "replay",
  {
    run: runArgument,
    cluster: clusterFlag,
    json: switchFlag("json", "Print one JSON object with all differences")
  },
  Effect.fn("replay")(function* (flags) {
    const { emit, print, result } = yield* Output
    const { differences, events, isWhole, leftOut, program, runId } = yield* Effect.provide(
      replayRun(flags.run),
      storeOf(flags.cluster)
    )
    if (leftOut !== undefined) yield* emit(`note: ${printable(leftOut)}`)
    if (isOtherBuild(program, build)) {
      yield* emit(`note: ${printable(program)} of task-conductor made the run, and ${build} replays it.`)
    }
    const [first, ...more] = differences
    if (flags.json)
      yield* result(
        outputJson({ runId, same: first === undefined, madeBy: program, replayedBy: build, differences }, 2)
      )
    else if (first === undefined) {
      const end = isWhole ? "" : ", as far as the journal goes: the run did not finish"
      yield* emit(`The replay of ${runId} is the same, ${events} events long${end}.`)
    } else {
      yield* print(differenceText(first))
      yield* emit(`This is the first of ${more.length + 1} differences; --json prints all.`)
    }
    if (first !== undefined) return yield* quietFailure(exitCodes.failed)
  })
).pipe(
  withHelp("Replay a run without a model and check that it still gives the same result", {
    "task-conductor replay last": "Exit code 0 if it is the same; otherwise 1, with the first difference"
  })
)
