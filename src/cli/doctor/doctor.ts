/**
 * Implements `task-conductor doctor`. It checks whether everything that a run needs is there, and says how to get what
 * is missing.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Terminal from "effect/Terminal"
import { loadSharedRuns } from "../run/sharedRuns.ts"
import { diagnose, note, ok } from "../../app/diagnosis.ts"
import { version } from "../../app/version.ts"
import { canStart, findingLines, verdictOf } from "../../domain/configuration/Diagnosis.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { exitCodes, quietFailure } from "../terminal/Failure.ts"
import { runFlags, stagesOf } from "../run/runFlags.ts"
import { present, switchFlag, withHelp } from "../terminal/Flags.ts"
import { Output } from "../terminal/Output.ts"

const nodeFinding = ok("program", `task-conductor ${version} on Node ${process.versions.node}`)

const terminalFinding = Effect.gen(function* () {
  const { canAsk, emitPaint } = yield* Output
  const colour = emitPaint.bold("") === "" ? "without colour" : "with colour"
  const columns = yield* (yield* Terminal.Terminal).columns
  const remedy = "Allow in advance what a run may do: --allow, or rules in your configuration."
  return canAsk
    ? ok("terminal", `${columns} columns, ${colour}`)
    : note("terminal", "none, so task-conductor cannot ask you", remedy)
})

/** The exit code tells whether a run can start. */
export const doctor = Command.make(
  "doctor",
  {
    project: runFlags.project,
    model: runFlags.model,
    stageModel: runFlags.stageModel,
    cluster: switchFlag("cluster", "Check what run --cluster needs instead: the database, TLS and the workers"),
    json: switchFlag("json", "Print one JSON object with all findings")
  },
  Effect.fn("doctor")(function* ({ cluster, json, model, project, stageModel }) {
    const { emit, isWatched, result, resultColumns, resultPaint } = yield* Output
    if (isWatched && !json) yield* emit("Checking what a run needs ...")
    const look = cluster ? (yield* loadSharedRuns).diagnose : diagnose
    const findings = [
      nodeFinding,
      ...(yield* look(project, { ...present({ model }), ...stagesOf({ stageModel }) })),
      yield* terminalFinding
    ]
    const can = canStart(findings)
    if (json) yield* result(outputJson({ canStart: can, version, findings }, 2))
    else {
      const paint = { ok: resultPaint.green, note: resultPaint.yellow, problem: resultPaint.red }
      const style = { paint, columns: resultColumns() }
      yield* result([...findingLines(findings, style), "", verdictOf(findings)].join("\n"))
    }
    if (!can) return yield* quietFailure(exitCodes.failed)
  })
).pipe(
  withHelp(
    "Check what a run needs: configuration, server, model, window, sandbox, folders, terminal. Each line is ok, a note, or a problem with its remedy. Exit code 0 if a run can start, else 1",
    {
      "task-conductor doctor": "Check everything in the current folder",
      "task-conductor doctor --cluster": "Check the database and the workers",
      "task-conductor doctor --model qwen3:8b --json": "Check with this model, for a script"
    }
  )
)
