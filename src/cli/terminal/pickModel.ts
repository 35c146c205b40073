/**
 * Asks at the terminal which model of the server is used, and saves the answer in the configuration of the person.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Terminal from "effect/Terminal"
import type { ModelOffer, PickModel } from "../../app/chosenModel.ts"
import { type InstalledModel, modelLines } from "../../domain/models/InstalledModel.ts"
import { printable } from "../../domain/text/Printable.ts"
import { belowHome } from "../../domain/text/Format.ts"
import { saveSetting } from "../../services/configuration/SaveSetting.ts"
import { Output } from "./Output.ts"

/** The model that a person means by a number or a name. */
const meant = (models: ReadonlyArray<InstalledModel>, typed: string): string | undefined => {
  const text = typed.trim().toLowerCase()
  const index = text === "" ? 0 : /^\d+$/.test(text) ? Number(text) - 1 : -1
  return (models[index] ?? models.find(({ name }) => name.toLowerCase() === text))?.name
}

/** Saves the choice and says where; a file that cannot be written is no reason not to go on. */
const save = Effect.fnUntraced(function* (name: string, { home, userFile, userFileProblem }: ModelOffer) {
  const { tell } = yield* Output
  const unsaved = (why: string) => tell(`The choice is not saved, because ${why}. Next time, use --model ${name}.`)
  if (userFileProblem !== undefined)
    return yield* unsaved(`${belowHome(userFile, home)} is not yours: ${userFileProblem}`)
  yield* saveSetting(userFile, "model", name).pipe(
    Effect.andThen(
      tell(
        `${printable(name)} is saved as your model in ${belowHome(userFile, home)}. For another one in a single run: --model NAME.`
      )
    ),
    Effect.catch(({ message }) => unsaved(message.replace(/\.$/, "")))
  )
})

/** Asks for one of the models until the answer is one; nothing for Ctrl-D and the end of input. */
export const chooseFrom = Effect.fn("chooseFrom")(
  function* ({ host, models }: ModelOffer) {
    const { prompt, tell } = yield* Output
    const terminal = yield* Terminal.Terminal
    yield* tell(`The server at ${host} has:`)
    yield* tell(
      modelLines(models)
        .map((line, index) => `${String(index + 1).padStart(3)}  ${printable(line)}`)
        .join("\n")
    )
    for (;;) {
      yield* prompt(`Which one should be used? 1 to ${models.length} or a name; Enter takes 1, Ctrl-D none: `)
      const name = meant(models, yield* terminal.readLine)
      if (name !== undefined) return name
      yield* tell("There is no such model in the list.")
    }
  },
  Effect.catchTag("QuitError", () =>
    Effect.as(
      Output.use(({ tell }) => tell("")),
      undefined
    )
  )
)

const ask = Effect.fnUntraced(function* (offer: ModelOffer) {
  yield* Output.use(({ tell }) => tell("No model is chosen yet."))
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
