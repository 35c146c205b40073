/**
 * What `doctor` does once flags are read. Loaded when it is needed, like the handler of `run`.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Terminal from "effect/Terminal"
import { diagnoseCluster } from "../../app/clusterDiagnosis.ts"
import { diagnose } from "../../app/diagnosis.ts"
import { version } from "../../app/version.ts"
import { canStart, type Finding, findingLines, verdictOf } from "../../domain/checking/Diagnosis.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { exitCodes, quietFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"

/** The flags. */
interface DoctorFlags {
  readonly project: string
  readonly model: Option.Option<string>
  readonly cluster: boolean
  readonly json: boolean
}

const nodeFinding: Finding = {
  name: "program",
  state: "ok",
  what: `task-conductor ${version} on Node ${process.versions.node}`
}

const terminalFinding = Effect.gen(function* () {
  const { canAsk, tellPaint } = yield* Output
  const colour = tellPaint.bold("") === "" ? "without colour" : "with colour"
  const columns = yield* (yield* Terminal.Terminal).columns
  const finding: Finding = canAsk
    ? { name: "terminal", state: "ok", what: `${columns} columns, ${colour}` }
    : {
        name: "terminal",
        state: "note",
        what: "none, so that nobody can be asked",
        remedy: "Say beforehand what a run may do: --allow, or rules in your configuration."
      }
  return finding
})

/** Prints all findings; the exit code says whether a run can start. */
export const showDiagnosis = Effect.fn("showDiagnosis")(function* ({ cluster, json, model, project }: DoctorFlags) {
  const { result, resultColumns, resultPaint } = yield* Output
  const given = Option.match(model, { onNone: () => ({}), onSome: (name) => ({ model: name }) })
  const look = cluster ? diagnoseCluster : diagnose
  const findings = [nodeFinding, ...(yield* look(project, given)), yield* terminalFinding]
  const can = canStart(findings)
  if (json) yield* result(outputJson({ canStart: can, version, findings }, 2))
  else {
    const paint = { ok: resultPaint.green, note: resultPaint.yellow, problem: resultPaint.red }
    const style = { paint, columns: resultColumns() }
    yield* result([...findingLines(findings, style), "", verdictOf(findings)].join("\n"))
  }
  if (!can) return yield* quietFailure(exitCodes.failed)
})
