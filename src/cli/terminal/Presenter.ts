/**
 * Shows help, version and invalid invocations: requested help on stdout; on stderr what is wrong with an invocation, as
 * Effect says it, and one line that says how to get help.
 */
import * as CliOutput from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { printableLines } from "../../domain/text/Printable.ts"
import { Output } from "./Output.ts"

type Event = CliOutput.Presenter.Event

const promptCommands: ReadonlySet<string> = new Set(["run", "plan", "ask"])

/** True for words that may be a prompt without quotes, or without a command. */
const looksLikePrompt = ({ commandPath, errors }: Extract<Event, { readonly _tag: "InvalidInvocation" }>): boolean =>
  errors.some((error) =>
    error._tag === "UnexpectedArgument"
      ? promptCommands.has(commandPath.at(-1) ?? "")
      : error._tag === "UnknownSubcommand" && error.suggestions.length === 0 && commandPath.length === 1
  )

/** Writes help and errors about a command line through `Output`. */
export const layerPresenter: Layer.Layer<never, never, Output> = Layer.unwrap(
  Output.useSync((output) => {
    const formatter = CliOutput.defaultFormatter({
      colors: output.resultPaint.bold("") !== "",
      globalFlags: "summary"
    })
    const present = (event: Event): Effect.Effect<void> => {
      switch (event._tag) {
        case "Help": {
          const print = event.reason === "Requested" ? output.result : output.tell
          return print(formatter.formatHelpDoc(event.helpDoc))
        }
        case "Version":
          return output.result(event.version)
        case "InvalidInvocation":
          return output.tell(
            [
              ...event.errors.map(({ message }) => printableLines(message)),
              ...(looksLikePrompt(event) ? ['Put a prompt in quotes: task-conductor run "What does this do?"'] : []),
              `Run "${event.commandPath.join(" ")} --help" for help.`
            ].join("\n")
          )
      }
    }
    return CliOutput.layerPresenter({ present })
  })
)
