/**
 * What `doctor` does once flags are read. Loaded when it is needed, like the handler of `run`.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Terminal from "effect/Terminal"
import { diagnose } from "../../app/diagnosis.ts"
import { version } from "../../app/version.ts"
import { canStart, type Finding, findingLines, verdictOf } from "../../domain/checking/Diagnosis.ts"
import { printableJson, printableLines } from "../../domain/text/Printable.ts"
import { exitCodes, quietFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"

/** The flags. */
interface DoctorFlags {
  readonly project: string
  readonly model: Option.Option<string>
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
export const showDiagnosis = Effect.fn("showDiagnosis")(function* ({ json, model, project }: DoctorFlags) {
  const { result, resultPaint } = yield* Output
  const given = Option.match(model, { onNone: () => ({}), onSome: (name) => ({ model: name }) })
  const findings = [nodeFinding, ...(yield* diagnose(project, given)), yield* terminalFinding]
  const can = canStart(findings)
  if (json) yield* result(printableJson({ can_start: can, version, findings: findings.map((one) => ({ ...one })) }, 2))
  else {
    const paint = { ok: resultPaint.green, note: resultPaint.yellow, problem: resultPaint.red }
    yield* result(printableLines([...findingLines(findings, paint), "", verdictOf(findings)].join("\n")))
  }
  if (!can) return yield* quietFailure(exitCodes.failed)
})
