/**
 * What every command passes to the run that it starts: where events go, who is asked, where notes are printed, and how a
 * person at the terminal picks a model when none is named.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Terminal from "effect/Terminal"
import type * as Layer from "effect/Layer"
import type { ModelOffer, PickModel } from "../../app/chosenModel.ts"
import { type InstalledModel, modelLines } from "../../domain/models/InstalledModel.ts"
import { printable } from "../../domain/text/Printable.ts"
import { belowHome } from "../../domain/text/Format.ts"
import { saveSetting } from "../../services/configuration/ConfigurationFile.ts"
import { Output } from "./Output.ts"
import type { StartupNotes, RunContext } from "../../app/RunContext.ts"
import { tornNote } from "../../app/RunContext.ts"
import type { Approver } from "../../services/approvals/Approver.ts"
import type { EventSink } from "./EventSink.ts"

/** The model that a person means by a number or a name. */
const meant = (models: ReadonlyArray<InstalledModel>, typed: string): string | undefined => {
  const text = typed.trim().toLowerCase()
  const index = text === "" ? 0 : /^\d+$/.test(text) ? Number(text) - 1 : -1
  return (models[index] ?? models.find(({ name }) => name.toLowerCase() === text))?.name
}

/** Saves the choice and says where; a file that cannot be written is no reason not to go on. */
const save = Effect.fnUntraced(function* (name: string, { home, userFile, userFileProblem }: ModelOffer) {
  const { emit } = yield* Output
  const unsaved = (why: string) => emit(`The choice is not saved, because ${why}. Next time, use --model ${name}.`)
  if (userFileProblem !== undefined)
    return yield* unsaved(`${belowHome(userFile, home)} is not yours: ${userFileProblem}`)
  yield* saveSetting(userFile, "model", name).pipe(
    Effect.andThen(
      emit(
        `${printable(name)} is saved as your model in ${belowHome(userFile, home)}. For another one in a single run: --model NAME.`
      )
    ),
    Effect.catch(({ message }) => unsaved(message.replace(/\.$/, "")))
  )
})

/** Asks for one of the models until the answer is one; nothing for Ctrl-D and the end of input. */
export const chooseFrom = Effect.fn("chooseFrom")(
  function* ({ host, models }: ModelOffer) {
    const { emit, prompt } = yield* Output
    const terminal = yield* Terminal.Terminal
    yield* emit(`The server at ${host} has:`)
    yield* emit(
      modelLines(models)
        .map((line, index) => `${String(index + 1).padStart(3)}  ${printable(line)}`)
        .join("\n")
    )
    for (;;) {
      yield* prompt(`Which one should be used? 1 to ${models.length} or a name; Enter takes 1, Ctrl-D none: `)
      const name = meant(models, yield* terminal.readLine)
      if (name !== undefined) return name
      yield* emit("There is no such model in the list.")
    }
  },
  Effect.catchTag("QuitError", () =>
    Effect.as(
      Output.use(({ emit }) => emit("")),
      undefined
    )
  )
)

const ask = Effect.fnUntraced(function* (offer: ModelOffer) {
  yield* Output.use(({ emit }) => emit("No model is chosen yet."))
  const name = yield* chooseFrom(offer)
  if (name !== undefined) yield* save(name, offer)
  return name
})

/** Asks for a model. Ctrl-D and the end of input pick none. */
export const makePickModel: Effect.Effect<
  PickModel,
  never,
  Output | Terminal.Terminal | FileSystem.FileSystem | Path.Path
> = Effect.map(
  Effect.context<Output | Terminal.Terminal | FileSystem.FileSystem | Path.Path>(),
  (context) => (offer) => Effect.provide(ask(offer), context)
)

/** How a command starts its run. */
export interface CommandOptions {
  readonly sink: EventSink
  /** All steps are approved beforehand. */
  readonly approveSteps: boolean
  /** Steps and calls are approved beforehand. */
  readonly yes?: boolean
  /** A program reads what is printed. */
  readonly isJson?: boolean
  /** Nothing is said beside the answer and errors. */
  readonly isQuiet?: boolean
  /** Who is asked; the terminal when absent. */
  readonly approver?: Layer.Layer<Approver>
}

const note = (text: string): string => `note: ${text.charAt(0).toLowerCase()}${text.slice(1)}`

/** What the built-in demo is, before it does anything. */
const demoLine = "Using the built-in demo, which only searches and quotes."

/** Prints notes and warnings on stderr. */
const printNotes = Effect.fnUntraced(function* (
  { emit, emitPaint }: Output["Service"],
  { isTorn, notes = [], setup, warnings }: StartupNotes
) {
  if (setup.configuration.model === "embedded") yield* emit(demoLine)
  for (const text of warnings) yield* emit(`${emitPaint.yellow("warning")}: ${printable(text)}`)
  for (const text of notes) yield* emit(note(printable(text)))
  if (isTorn) yield* emit(note(tornNote))
})

/** The context of a run that a command starts. A person at a terminal is asked for a model when none is named. */
export const runContextOf = Effect.fnUntraced(function* (given: CommandOptions) {
  const { approveSteps, approver, isQuiet = false, sink, yes = false } = given
  const output = yield* Output
  const context: RunContext = {
    listen: sink.listen,
    approveSteps,
    yes,
    isColoured: output.emitPaint.bold("") !== "",
    warn: (notes) => (isQuiet ? Effect.void : printNotes(output, notes)),
    ...(output.canAsk ? { pickModel: yield* makePickModel } : {}),
    approver
  }
  return context
})
