/**
 * What the user chooses in the editor for a session: the mode and the model. An editor that does not support session
 * options shows only the modes.
 */
import type { SessionConfigOption, SessionMode } from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import { fittingModels, installedModels, withServerToChooseFrom } from "../../kit/models.ts"
import { type Configuration, mergeConfigurations, readSetup } from "../../kit/program.ts"
import { failureOf, usageFailure } from "../../kit/terminal.ts"

export const modes = [
  { id: "ask", name: "Ask", description: "A conversation. Asks before it changes anything or runs a command" },
  { id: "plan", name: "Plan only", description: "Makes and checks a plan for the prompt, and does not run it" },
  {
    id: "run",
    name: "Run",
    description: "Plans the work, carries it out, checks it. Asks about the changes of each step"
  }
] as const satisfies ReadonlyArray<SessionMode>

export type ModeId = (typeof modes)[number]["id"]

/** The model of a session, and the models that can be chosen. */
export interface ModelChoice {
  /** The chosen model; undefined without a choice. */
  readonly model: string | undefined
  readonly host: string
  readonly models: ReadonlyArray<{ readonly name: string; readonly isForwarded: boolean }>
}

/** How long the editor waits for the list of models. A slower server gives an empty list. */
const patience = "2 seconds"

/** Reads the model of a session, and the models of the server. */
export const readModelChoice = Effect.fnUntraced(function* (project: string, given: Configuration) {
  const setup = yield* Effect.mapError(readSetup(project, given), failureOf)
  const installed = yield* withServerToChooseFrom(setup).pipe(
    Effect.flatMap(installedModels),
    Effect.timeout(patience),
    Effect.orElseSucceed(() => [])
  )
  const { models, settings } = setup
  const choice: ModelChoice = {
    model: models.chosenBy === "nobody" ? undefined : settings.model,
    host: settings.host,
    models: fittingModels(installed).map(({ isForwarded = false, name }) => ({ name, isForwarded }))
  }
  return choice
})

/** The value in the menu if no model is chosen. The protocol requires a value, and no model has this name. */
const unchosen = "(none)"

/** The options of a session that an editor shows. */
const configOptions = (mode: ModeId, { model, models }: ModelChoice): Array<SessionConfigOption> => {
  const listed = models.map(({ isForwarded, name }) => ({
    value: name,
    name,
    ...(isForwarded ? { description: "Forwards prompts to another server" } : {})
  }))
  const current = model ?? unchosen
  const isListed = models.some(({ name }) => name === current)
  const ofCurrent = { value: current, name: model ?? "Choose a model" }
  return [
    {
      type: "select",
      id: "mode",
      name: "Mode",
      category: "mode",
      currentValue: mode,
      options: modes.map(({ description, id, name }) => ({ value: id, name, description }))
    },
    {
      type: "select",
      id: "model",
      name: "Model",
      category: "model",
      currentValue: current,
      options: isListed ? listed : [ofCurrent, ...listed]
    }
  ]
}

/** The error for a prompt without a chosen model. */
const unchosenText = ({ host, models }: ModelChoice): string => {
  if (models.length === 0) {
    return `No model is chosen, and the model server at ${host} lists none that can write text. Get one, for example: ollama pull qwen3:8b (5 GB).`
  }
  const names = models.map(({ name }) => `  ${name}`).join("\n")
  return `No model is chosen. Pick one in the editor, or name one with --model in the arguments of the agent. The server at ${host} has:\n${names}`
}

export const makeChoices = ({
  choice: first,
  configuration,
  project
}: {
  readonly choice: ModelChoice
  readonly configuration: Configuration
  readonly project: string
}) => {
  let mode: ModeId = "ask"
  let choice = first
  let current = configuration
  return {
    mode: () => mode,
    /** The configuration for the next prompt, with the chosen model. */
    configuration: () => current,
    options: () => configOptions(mode, choice),
    setMode: Effect.fnUntraced(function* (id: string) {
      const next = modes.find((candidate) => candidate.id === id)
      if (next === undefined) {
        const names = modes.map((candidate) => candidate.id).join(", ")
        return yield* usageFailure(`There is no mode ${JSON.stringify(id)}. Modes: ${names}.`)
      }
      mode = next.id
    }),
    /** Sets the model for later prompts. A prompt in progress keeps its model. */
    setModel: Effect.fnUntraced(function* (model: string) {
      const now = yield* readModelChoice(project, current)
      const names = now.models.map(({ name }) => name)
      if (model !== now.model && !names.includes(model)) {
        const listed = names.join(", ") || "none"
        const what = `The server at ${now.host} has no model ${JSON.stringify(model)}. Models: ${listed}.`
        return yield* usageFailure(what)
      }
      choice = { ...now, model }
      current = mergeConfigurations(current, { model })
    }),
    /** Fails if no model is chosen. Reads the configuration again first, because the user may have changed it. */
    needModel: Effect.gen(function* () {
      if (choice.model !== undefined) return
      choice = yield* readModelChoice(project, current)
      if (choice.model === undefined) return yield* usageFailure(unchosenText(choice))
    })
  }
}
