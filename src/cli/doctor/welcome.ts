/**
 * What `task-conductor` alone shows: what it is, what is missing on this machine, and one command to try.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { firstLook } from "../../app/diagnosis.ts"
import { readSetup } from "../../app/setup.ts"
import { version } from "../../app/version.ts"
import { canStart, type Finding } from "../../domain/checking/Diagnosis.ts"
import { printableLines } from "../../domain/text/Printable.ts"
import { Output } from "../terminal/Output.ts"

const look = Effect.gen(function* () {
  const read = yield* Effect.result(readSetup(".", {}))
  if (Result.isSuccess(read)) return yield* firstLook(read.success)
  const broken: Finding = { name: "configuration", state: "problem", what: read.failure.message }
  return [broken]
})

/** Only what a person has to know: the server, the model, and what is missing. */
const shown = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  findings
    .filter(({ name, state }) => state === "problem" || name === "server" || name === "model")
    .map(({ name, remedy, state, what }) => {
      if (state !== "problem") return `Found:   ${name}: ${what}.`
      return [`Missing: ${name}: ${what}.`, ...(remedy === undefined ? [] : [remedy])].join("\n         ")
    })

/** Shows it on stdout. */
export const showWelcome = Effect.fn("showWelcome")(function* () {
  const { result, resultPaint } = yield* Output
  const findings = yield* look
  const demo = canStart(findings) ? "" : "--model embedded "
  const lines = [
    `${resultPaint.bold("task-conductor")} ${version} makes local language models do long work reliably.`,
    "It plans, checks every step, asks before it changes anything, and survives crashes.",
    "",
    ...shown(findings),
    "",
    ...(demo === "" ? [] : ["Without a model there is a demo, which only searches and quotes."]),
    `Try:     task-conductor run ${demo}"What does this project do?"`,
    "More:    task-conductor --help",
    "Check:   task-conductor doctor"
  ]
  yield* result(printableLines(lines.join("\n")))
})
