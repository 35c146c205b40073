/** The text that `task-conductor` prints without arguments: what it is for, what is missing, and a command to try. */
import * as Effect from "effect/Effect"
import { quickDiagnosis, withSetup } from "../../app/diagnosis.ts"
import { readSetup } from "../../app/setup.ts"
import { version } from "../../app/version.ts"
import { canStart, type Finding } from "../../domain/configuration/Diagnosis.ts"
import { printable } from "../../domain/text/Printable.ts"
import { wrapLine } from "../../domain/text/TextWidth.ts"
import { Output } from "../terminal/Output.ts"

const oneLine = (text: string): string => printable(text.replaceAll("\n", " "))

/** The findings that matter at first: the server, the model, and problems. */
const summaryLines = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  findings
    .filter(({ name, state }) => state === "problem" || name === "server" || name === "model")
    .map(({ name, remedy, state, what }) => {
      const found = `${name}: ${oneLine(what)}.`
      if (state !== "problem") return `Found:   ${found}`
      return remedy === undefined ? `Missing: ${found}` : `Missing: ${found}\n         ${oneLine(remedy)}`
    })
    .flatMap((text) => text.split("\n"))

/** The `--model` flag with which a run can start on this machine, and why. Empty if none is needed. */
const startWith = (findings: ReadonlyArray<Finding>) => {
  if (canStart(findings)) return { flag: "", why: [] }
  const [choice] = findings.flatMap(({ choices = [] }) => choices)
  return choice === undefined
    ? { flag: "--model embedded ", why: ["Without a model there is a demo, which only searches and quotes."] }
    : { flag: `--model ${printable(choice)} `, why: [] }
}

export const showWelcome = Effect.fn("showWelcome")(function* () {
  const { result, resultColumns, resultPaint } = yield* Output
  const findings = yield* withSetup(readSetup(".", {}), quickDiagnosis)
  const { flag, why } = startWith(findings)
  const lines = [
    `${resultPaint.bold("task-conductor")} ${version} makes local language models do long work reliably.`,
    "It plans, checks every step, asks before it changes anything, and survives crashes.",
    "",
    ...summaryLines(findings),
    "",
    ...why,
    `Try:     task-conductor run ${flag}"What does this project do?"`,
    "More:    task-conductor --help",
    "Check:   task-conductor doctor"
  ]
  const columns = resultColumns() ?? Infinity
  yield* result(
    lines.flatMap((line) => wrapLine(line, columns, /^(?:\w+: | {9})/.test(line) ? " ".repeat(9) : "")).join("\n")
  )
})
