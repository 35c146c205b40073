/**
 * Runs a command line to its exit code and reports everything that goes wrong. `launch` handles the process around it.
 */
import type * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { version } from "../app/version.ts"
import { printableLines } from "../domain/text/Printable.ts"
import { withPlainWords } from "./helpWords.ts"
import { commandNames, layerFlags, taskConductor } from "./taskConductor.ts"
import { exitCodes, failureOf } from "./terminal/Failure.ts"
import { Output, redactText } from "./terminal/Output.ts"
import { layerPresenter } from "./terminal/Presenter.ts"
import type { Signals } from "./terminal/Signals.ts"

const internalError = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const what = (error instanceof Error ? error.message : String(error)).split("\n")[0]
  const line = `internal error: ${what}. This is a bug in task-conductor, please report it.`
  return process.env["TASK_CONDUCTOR_DEBUG"] === "1"
    ? `${line}\n${Cause.pretty(cause)}`
    : `${line} TASK_CONDUCTOR_DEBUG=1 shows details.`
}

/** Whatever an error quotes has no power over the terminal, and holds no secret. */
const say = (text: string, exitCode: number) =>
  Output.use(({ tell }) => tell(printableLines(redactText(text)))).pipe(Effect.as(exitCode))

/** A result that did not arrive is a failure, also of work that went well. */
const requireWritten = (exitCode: number) =>
  Output.use(({ lost, tell }) => {
    const reason = lost()
    return reason === undefined
      ? Effect.succeed(exitCode)
      : tell(`The result could not be written to stdout (${reason}). Write it elsewhere and run again.`).pipe(
          Effect.as(exitCode === 0 ? exitCodes.failed : exitCode)
        )
  })

/** `runs list` is `runs`: other commands that list have the word. */
const withoutList = (argv: ReadonlyArray<string>): ReadonlyArray<string> =>
  argv[0] === "runs" && argv[1] === "list" ? ["runs", ...argv.slice(2)] : argv

/** Runs the command that `argv` names. */
export const runCommandLine = (
  argv: ReadonlyArray<string>
): Effect.Effect<number, never, NodeServices.NodeServices | Output | Signals> => {
  const line = withPlainWords(withoutList(argv), commandNames)
  return Effect.flatMap(taskConductor(line), (program) => Command.runWith(program, { version })(line)).pipe(
    Effect.as(0),
    Effect.catchTag("ShowHelp", () => Effect.succeed<number>(exitCodes.usage)),
    Effect.catch((error) => {
      const { exitCode, text } = failureOf(error)
      if (text === "") return Effect.succeed(exitCode)
      const isUsage = error._tag === "CommandFailure" && exitCode === exitCodes.usage
      return say(isUsage ? `${text}\nRun "task-conductor ${argv[0]} --help" for help.` : text, exitCode)
    }),
    Effect.catchCauseIf(Cause.hasDies, (cause) => say(internalError(cause), exitCodes.failed)),
    Effect.flatMap(requireWritten),
    Effect.provide(Layer.merge(layerPresenter, layerFlags))
  )
}
