/** Implements `task-conductor diff` and `task-conductor undo`, which show and undo what a run changed in files. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { changesOfRun, patchOf, type RunChange, undoRun } from "../../services/history/RunChanges.ts"
import { layerRuns } from "../../app/savedRuns.ts"
import { kindWords } from "../../domain/files/FileKind.ts"
import { counted } from "../../domain/text/Format.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { harmless, printable } from "../../domain/text/Printable.ts"
import { exitCodes, quietFailure } from "../terminal/Failure.ts"
import { runArgument, switchFlag, withHelp } from "../terminal/Flags.ts"
import { Output } from "../terminal/Output.ts"
import { movedFlag } from "../run/runFlags.ts"
import { noPagerFlag, showLong } from "./Pager.ts"

const lastRun = runArgument.pipe(Argument.withDefault("last"))

const states: Readonly<Record<RunChange["state"], string>> = {
  made: "",
  undone: " (undone)",
  changed_since: " (changed after the run)",
  not_kept: " (its earlier content was not kept)"
}

/** The note about what a run did besides changing files. */
const outsideText = (outside: ReadonlyArray<string>): string =>
  `note: neither shown nor undone is what the run did with\n${outside.map((one) => `- ${printable(one)}`).join("\n")}`

/** A line for each file and a line for the total, with the numbers of added and removed lines as in git. */
const statText = (changes: ReadonlyArray<RunChange>): string => {
  const sum = (key: "insertions" | "deletions"): number => changes.reduce((all, one) => all + one[key], 0)
  return [
    ...changes.map(
      ({ becomes, binary = false, deletions, insertions, kind, path, state }) =>
        `${printable(path)}: ${[
          binary ? "binary" : `+${insertions} -${deletions}`,
          ...(kind === "changed" ? [] : [kind]),
          ...(becomes === undefined ? [] : [kindWords[becomes]])
        ].join(", ")}${states[state]}`
    ),
    `${counted(changes.length, "file")}: +${sum("insertions")} -${sum("deletions")}`
  ].join("\n")
}

export const diff = Command.make(
  "diff",
  {
    run: lastRun,
    stat: switchFlag("stat", "Only the files, with the lines that were added and removed"),
    project: movedFlag,
    noPager: noPagerFlag,
    json: switchFlag("json", "Print one JSON object")
  },
  Effect.fn("diff")(function* ({ json, noPager, run, stat, ...given }) {
    const { emit, isWatched, print, result } = yield* Output
    const moved = Option.getOrUndefined(given.project)
    const { changes, outside, project, runId } = yield* Effect.provide(changesOfRun(run, moved), layerRuns)
    if (json) return yield* result(outputJson({ runId, project, changes, outside }, 2))
    if (outside.length > 0) yield* emit(outsideText(outside))
    if (changes.length === 0) return yield* emit(`The run ${runId} changed no file.`)
    if (stat) return yield* print(statText(changes))
    for (const { path, state } of changes) {
      if (state !== "made") yield* emit(`note: ${printable(path)}${states[state]}`)
    }
    const text = patchOf(changes)
    yield* showLong(isWatched ? harmless(text) : text, { noPager, print })
  })
).pipe(
  withHelp("Show what a run changed in files", {
    "task-conductor diff": "Show the changes of the newest run of this project",
    "task-conductor diff last --stat": "Show the files, with the lines that were added and removed",
    "task-conductor diff 20261120-183000-k3x9 > changes.patch": "Write a patch that git apply takes"
  })
)

export const undo = Command.make(
  "undo",
  {
    run: lastRun,
    paths: Argument.String("PATH").pipe(
      Argument.withDescription("A file or folder to undo. Default: all changes"),
      Argument.variadic()
    ),
    redo: switchFlag("redo", "Make undone changes again"),
    project: movedFlag,
    json: switchFlag("json", "Print one JSON object")
  },
  Effect.fn("undo")(function* ({ json, paths, redo, run, ...place }) {
    const { emit, print, result } = yield* Output
    const from = (yield* Path.Path).resolve()
    const moved = Option.getOrUndefined(place.project)
    const undone = yield* Effect.result(Effect.provide(undoRun(run, { paths, from, redo, moved }), layerRuns))
    if (undone._tag === "Failure") {
      if (undone.failure._tag !== "UndoRefused") return yield* undone.failure
      const { message, refused } = undone.failure
      if (json) yield* result(outputJson({ paths: [], refused }, 2))
      else for (const one of refused) if (one.diff !== "") yield* print(harmless(one.diff.trimEnd()))
      yield* emit(message)
      return yield* quietFailure(exitCodes.failed)
    }
    const { hasChanges, outside, paths: changed, project, runId } = undone.success
    if (json) return yield* result(outputJson({ runId, project, paths: changed, refused: [], outside }, 2))
    if (outside.length > 0) yield* emit(outsideText(outside))
    if (changed.length === 0) {
      const unchanged = `Run ${runId} changed ${outside.length > 0 ? "no file" : "nothing"}, so there is nothing to ${redo ? "make again" : "undo"}.`
      return yield* emit(hasChanges ? "Nothing to do: the files are already like that." : unchanged)
    }
    const files = changed.map((path) => `- ${printable(path)}`).join("\n")
    yield* print(`${redo ? "Made again" : "Undone"}: ${counted(changed.length, "file")} of run ${runId}\n${files}`)
    yield* emit(redo ? `Undo it: task-conductor undo ${runId}` : `Make it again: task-conductor undo ${runId} --redo`)
  })
).pipe(
  withHelp("Take back what a run changed in files", {
    "task-conductor undo": "Undo the changes of the newest run of this project",
    "task-conductor undo last src/limits.ts": "Undo the changes of one file",
    "task-conductor undo last --redo": "Make them again"
  })
)
