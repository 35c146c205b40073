/** The context that commands pass to runs: event sink, approver, notes, and the user's choice of a model. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Terminal from "effect/Terminal"
import { type InstalledModel, modelLines } from "../../domain/models/InstalledModel.ts"
import { printable } from "../../domain/text/Printable.ts"
import { belowHome } from "../../domain/text/Format.ts"
import { RunSettings } from "../../services/runs/RunSettings.ts"
import { layerTerminal } from "../approval/TerminalApprover.ts"
import { saveSetting } from "../../services/configuration/ConfigurationFile.ts"
import { Output } from "./Output.ts"
import { type ModelOffer, type RunContext, type StartupNotes, tornNote } from "../../app/RunContext.ts"
import type { EventSink } from "./EventSink.ts"

/** The model whose number or name the user typed. Undefined if there is none. */
const chosenModel = (models: ReadonlyArray<InstalledModel>, typed: string): string | undefined => {
  const text = typed.trim().toLowerCase()
  const index = text === "" ? 0 : /^\d+$/.test(text) ? Number(text) - 1 : -1
  return (models[index] ?? models.find(({ name }) => name.toLowerCase() === text))?.name
}

/** Saves the chosen model. Prints in which file it is saved, or why it could not be saved. */
const save = Effect.fnUntraced(function* (name: string, { home, userFile }: ModelOffer) {
  const { emit } = yield* Output
  const unsaved = (why: string) => emit(`The choice is not saved, because ${why}. Next time, use --model ${name}.`)
  const file = belowHome(userFile.path, home)
  if (userFile.problem !== undefined) return yield* unsaved(`${file} is not yours: ${userFile.problem}`)
  yield* saveSetting(userFile.path, ["model"], name).pipe(
    Effect.andThen(
      emit(`${printable(name)} is saved as your model in ${file}. For another one in a single run: --model NAME.`)
    ),
    Effect.catch(({ message }) => unsaved(message.replace(/\.$/, "")))
  )
})

/** Asks the user for a model until the answer names one. Undefined if the input ends, for example by Ctrl-D. */
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
      const name = chosenModel(models, yield* terminal.readLine)
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

/** The flags that approve steps and calls before the program asks. */
export interface ApprovalFlags {
  readonly yes: boolean
  readonly yesThisRun: boolean
}

/** `--yes` approves steps and calls beforehand. `--yes-this-run` approves only steps. */
export const approvedBeforehand = ({ yes, yesThisRun }: ApprovalFlags) => ({ approveSteps: yesThisRun, yes })

export interface CommandOptions
  extends Pick<RunContext, "approveSteps" | "yes">, Partial<Pick<RunContext, "approver">> {
  readonly sink: EventSink
  /** True to print only the answer and errors. */
  readonly isQuiet?: boolean | undefined
}

const note = (text: string): string => `note: ${text.charAt(0).toLowerCase()}${text.slice(1)}`

const demoLine = "Using the built-in demo, which only searches and quotes."

const printNotes = Effect.fnUntraced(function* (
  { emit, emitPaint }: Output["Service"],
  { isTorn = false, notes = [], usesDemo = false, warnings }: StartupNotes
) {
  if (usesDemo) yield* emit(demoLine)
  for (const text of warnings) yield* emit(`${emitPaint.yellow("warning")}: ${printable(text)}`)
  for (const text of notes) yield* emit(note(printable(text)))
  if (isTorn) yield* emit(note(tornNote))
})

/** The approver at the terminal. The bell rings for each question if the settings allow it. */
const layerUser = (isColoured: boolean) =>
  Layer.unwrap(Effect.map(RunSettings, ({ bell = true }) => layerTerminal({ bell, isColoured })))

/** The context of a run that a command starts. Without a named model, the user chooses one at the terminal. */
export const runContextOf = Effect.fnUntraced(function* ({
  approver,
  isQuiet = false,
  sink,
  ...others
}: CommandOptions) {
  const output = yield* Output
  const services = yield* Effect.context<Output | Terminal.Terminal | FileSystem.FileSystem | Path.Path>()
  const context: RunContext = {
    ...others,
    listen: sink.listen,
    approver: approver ?? layerUser(output.emitPaint.bold("") !== ""),
    warn: (notes) => (isQuiet ? Effect.void : printNotes(output, notes)),
    terminal: {
      ...(output.screen.columns() === undefined ? {} : { notify: output.prompt }),
      ...(output.canAsk ? { pickModel: (offer) => Effect.provide(ask(offer), services) } : {})
    }
  }
  return context
})
