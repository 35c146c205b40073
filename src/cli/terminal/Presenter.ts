/**
 * Shows help, version and invalid invocations: requested help on stdout, what is wrong with an invocation on stderr, a line
 * for each problem and one that says how to get help.
 */
import * as CliOutput from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { printableLines } from "../../domain/text/Printable.ts"
import { invocationTexts } from "./invocationText.ts"
import { type LineCheck, lineProblems } from "./lineProblems.ts"
import { Output } from "./Output.ts"

/** Writes help and errors about a command line through `Output`. */
export const layerPresenter = <R>(
  argv: ReadonlyArray<string>,
  check: LineCheck<R>
): Layer.Layer<never, never, Output | R> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const output = yield* Output
      const context = yield* Effect.context<R>()
      const formatter = CliOutput.defaultFormatter({
        colors: output.resultPaint.bold("") !== "",
        globalFlags: "summary"
      })
      return CliOutput.layerPresenter({
        present: (event) => {
          switch (event._tag) {
            case "Help":
              return event.reason === "Requested"
                ? output.result(formatter.formatHelpDoc(event.helpDoc))
                : output.tell(formatter.formatHelpDoc(event.helpDoc))
            case "Version":
              return output.result(event.version)
            case "InvalidInvocation":
              return lineProblems(argv, event, check).pipe(
                Effect.provideContext(context),
                Effect.flatMap((errors) =>
                  output.tell(
                    `${printableLines(invocationTexts(errors, argv).join("\n"))}\nRun "${event.commandPath.join(" ")} --help" for help.`
                  )
                )
              )
          }
        }
      })
    })
  )
